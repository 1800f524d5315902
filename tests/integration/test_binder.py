"""What Binder does with this repository, without its images: the build script and the start script."""

from __future__ import annotations

import os
import re
import shutil
import site
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from locallens_nb.locallens import LocalLensApp
from locallens_nb.models.catalogue import HERE, list_models
from locallens_nb.settings import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> dict[str, str]:
    """A virtual environment of its own in which what the tests have counts as installed, all but this package."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, symlinks=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "installed.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("LOCALLENS_", "HF_"))},
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(folder),
        "LOCALLENS_CACHE": str(model_cache),
    }


@pytest.fixture(scope="module")
def repository(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository in which the build script has run."""
    folder = tmp_path_factory.mktemp("binder") / "repository"
    folder.mkdir()
    for name in ("binder", "locallens_nb", "notebooks"):
        ignored = shutil.ignore_patterns("__pycache__", ".locallens", ".ipynb_checkpoints")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    done = subprocess.run(
        [folder / "binder" / "postBuild"], env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_scripts_can_be_executed() -> None:
    assert [name for name in ("postBuild", "start") if not os.access(ROOT / "binder" / name, os.X_OK)] == []


def test_every_pin_lies_in_the_range_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ranges = [*project["dependencies"], *project["optional-dependencies"]["demos"]]
    allowed = {(found := Requirement(line)).name: found.specifier for line in ranges}
    lines = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert {"torch", "matplotlib", "pandas"} <= {pin.name for pin in pins}
    for pin in pins:
        (exact,) = pin.specifier
        assert exact.operator == "=="
        assert exact.version in allowed[pin.name]


def test_the_build_installs_the_package_and_leaves_the_models_and_a_brain(
    repository: Path, environment: dict[str, str]
) -> None:
    code = "import locallens_nb; print(locallens_nb.__file__)"
    found = subprocess.run(["python", "-P", "-c", code], env=environment, capture_output=True, text=True, check=True).stdout
    assert Path(found.strip()) == repository / "locallens_nb" / "__init__.py"
    settings = Settings(home=repository / "notebooks" / ".locallens", cache_folder=environment["LOCALLENS_CACHE"])
    states = {model.name: model.state for model in list_models(settings)}
    assert states["qwen2.5-coder-0.5b-instruct"] == HERE
    (brain,) = LocalLensApp(settings).list_brains()
    assert (brain.name, brain.document_count) == ("station", 19)
    assert brain.folder_path == str(repository / "notebooks" / "sample")


def test_a_started_kernel_makes_no_connection_and_answers_with_quotes(repository: Path, environment: dict[str, str]) -> None:
    code = (
        "from locallens_nb import LocalLensApp, Settings\n"
        "settings = Settings()\n"
        "answer = LocalLensApp(settings).ask_brain('station', 'How many litres does the rainwater cistern hold?')\n"
        "print(settings.offline, answer.model, '38,000 litres' in answer.answer)"
    )
    command = [repository / "binder" / "start", "python", "-c", code]
    done = subprocess.run(command, env=environment, cwd=repository / "notebooks", capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True quotes True"


def test_the_start_script_leaves_a_chosen_chat_model_alone(environment: dict[str, str]) -> None:
    code = "import os; print(os.environ['LOCALLENS_CHAT_MODEL'])"
    chosen = {**environment, "LOCALLENS_CHAT_MODEL": "auto"}
    command = [ROOT / "binder" / "start", sys.executable, "-c", code]
    assert subprocess.run(command, env=chosen, capture_output=True, text=True, check=True).stdout == "auto\n"


def test_the_environment_of_the_image_has_a_python_that_the_package_takes() -> None:
    text = (ROOT / "binder" / "environment.yml").read_text(encoding="utf-8")
    python = re.search(r"- python=([\d.]+)$", text, re.MULTILINE)
    assert python is not None
    assert python[1] == "3.11"
