"""Where a setting comes from, and which values are refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from locallens_nb.errors import InvalidSettingError
from locallens_nb.settings import Settings


def test_the_defaults_are_those_of_the_original(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("LOCALLENS_HOME")
    monkeypatch.chdir(tmp_path)
    settings = Settings()
    assert settings.home == tmp_path / ".locallens"
    assert (settings.chat_model, settings.embedding_model, settings.precision) == ("auto", "auto", "auto")
    assert (settings.top_k, settings.chunk_tokens, settings.overlap_tokens) == (5, 220, 40)
    assert (settings.context_tokens, settings.temperature, settings.top_p) == (4096, 0.2, 0.9)
    assert not settings.offline


def test_the_default_cache_is_the_users_own_cache_folder(monkeypatch: pytest.MonkeyPatch):
    from platformdirs import user_cache_path

    monkeypatch.delenv("LOCALLENS_CACHE")
    assert Settings().cache_folder == user_cache_path("locallens", appauthor=False)


@pytest.mark.parametrize(
    ("variable", "text", "field", "value"),
    [
        ("LOCALLENS_HOME", "/data/store", "home", Path("/data/store").absolute()),
        ("LOCALLENS_CACHE", "/data/cache", "cache_folder", Path("/data/cache").absolute()),
        ("LOCALLENS_CHAT_MODEL", "quotes", "chat_model", "quotes"),
        ("LOCALLENS_EMBEDDING_MODEL", "thenlper/gte-large", "embedding_model", "thenlper/gte-large"),
        ("LOCALLENS_PRECISION", "bfloat16", "precision", "bfloat16"),
        ("LOCALLENS_STRICTNESS", "lenient", "strictness", "lenient"),
        ("LOCALLENS_STRICTNESS", "0.03", "strictness", 0.03),
        ("LOCALLENS_OFFLINE", "1", "offline", True),
        ("HF_HUB_OFFLINE", "1", "offline", True),
    ],
)
def test_a_variable_sets_its_field(monkeypatch: pytest.MonkeyPatch, variable: str, text: str, field: str, value: object):
    monkeypatch.setenv(variable, text)
    assert getattr(Settings(), field) == value


def test_an_argument_wins_over_its_variable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOCALLENS_CHAT_MODEL", "from-the-environment")
    assert Settings(chat_model="from-the-argument").chat_model == "from-the-argument"


def test_a_variable_that_is_blank_counts_as_unset(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOCALLENS_CHAT_MODEL", "  ")
    assert Settings().chat_model == "auto"


@pytest.mark.parametrize("text", ["0", "false", "No", "OFF"])
def test_words_for_no_do_not_switch_offline_on(monkeypatch: pytest.MonkeyPatch, text: str):
    monkeypatch.setenv("LOCALLENS_OFFLINE", text)
    assert Settings().offline is False


@pytest.mark.parametrize("text", ["1", "true", "Yes", "on"])
def test_words_for_yes_switch_offline_on(monkeypatch: pytest.MonkeyPatch, text: str):
    monkeypatch.setenv("LOCALLENS_OFFLINE", text)
    assert Settings().offline is True


def test_our_own_variable_wins_over_that_of_the_hub(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("LOCALLENS_OFFLINE", "0")
    assert Settings().offline is False


def test_the_environment_is_read_when_the_record_is_made_not_on_import(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOCALLENS_PRECISION", "nf4")
    first = Settings()
    monkeypatch.setenv("LOCALLENS_PRECISION", "float32")
    assert (first.precision, Settings().precision) == ("nf4", "float32")


def test_folders_become_absolute_and_the_tilde_is_expanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    settings = Settings(home="store", cache_folder="~/cache")
    assert (settings.home, settings.cache_folder) == (tmp_path / "store", Path("~/cache").expanduser())


def test_the_tilde_of_nobody_on_this_system_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    assert Settings(home="~nobody-of-this-name/x").home == tmp_path / "~nobody-of-this-name" / "x"


def test_a_later_change_of_the_working_folder_does_not_move_the_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    settings = Settings(home=".locallens")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert settings.home == tmp_path / ".locallens"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"precision": "int3"}, "Precision 'int3' is unknown. Use one of: auto, nf4, bfloat16, float16, float32."),
        (
            {"chunk_tokens": 40, "overlap_tokens": 40},
            "chunk_tokens (40) must be greater than overlap_tokens (40), and that not be negative."
            " The defaults are 220 and 40.",
        ),
        ({"top_k": 0}, "top_k is 0. Ask for at least one excerpt."),
        ({"top_k": 2.5}, "top_k is 2.5, which is no whole number. Leave it out for the default."),
        ({"seed": "7"}, "seed is '7', which is no whole number. Leave it out for the default."),
        ({"home": " "}, "home is blank. Leave it out for the default."),
        ({"chat_model": ""}, "chat_model is blank. Leave it out for the default."),
        ({"embedding_model": ""}, "embedding_model is blank. Leave it out for the default."),
        (
            {"temperature": float("nan")},
            "temperature (nan) must not be negative, and top_p (0.9) be above 0 and at most 1. The defaults are 0.2 and 0.9.",
        ),
        (
            {"strictness": "harsh"},
            "Strictness 'harsh' is unknown. Use one of: off, lenient, balanced, strict; or a number from 0 to 0.5.",
        ),
        (
            {"strictness": 0.6},
            "Strictness 0.6 is unknown. Use one of: off, lenient, balanced, strict; or a number from 0 to 0.5.",
        ),
        (
            {"max_new_tokens": 4096},
            "max_new_tokens (4096) must be between 1 and context_tokens (4096). The defaults are 512 and 4096.",
        ),
        (
            {"max_new_tokens": 0},
            "max_new_tokens (0) must be between 1 and context_tokens (4096). The defaults are 512 and 4096.",
        ),
    ],
)
def test_a_value_that_cannot_work_is_refused_with_the_next_step(fields: dict[str, object], message: str):
    with pytest.raises(InvalidSettingError) as caught:
        Settings(**fields)
    assert str(caught.value) == message


def test_an_overlap_below_zero_is_refused():
    with pytest.raises(InvalidSettingError):
        Settings(overlap_tokens=-1)


def test_a_variable_that_cannot_work_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOCALLENS_PRECISION", "int3")
    with pytest.raises(InvalidSettingError, match=r"^Precision 'int3' is unknown\."):
        Settings()


def test_settings_cannot_be_changed_afterwards():
    with pytest.raises(FrozenInstanceError):
        Settings().top_k = 3  # type: ignore[misc]
