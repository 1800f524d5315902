"""Real weights, kept between runs in the user's cache folder under names that hold their hashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from locallens_nb import LocalLensApp, Settings

SAMPLE = Path(__file__).parents[2] / "notebooks" / "sample"


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Path:
    """A store that holds the sample folder, indexed by the bundled embedding model."""
    home = tmp_path_factory.mktemp("model") / ".locallens"
    app = LocalLensApp(Settings(home=home, cache_folder=model_cache, embedding_model="all-MiniLM-L6-v2"))
    app.create_brain_from_folder(name="sample", folder_path=SAMPLE)
    return home


@pytest.fixture(scope="session")
def small_app(sample_home: Path, model_cache: Path) -> LocalLensApp:
    """SmolLM2-135M in 4-bit: too small for good answers, real in everything else."""
    return LocalLensApp(
        Settings(
            home=sample_home,
            cache_folder=model_cache,
            chat_model="smollm2-135m-instruct",
            precision="nf4",
            context_tokens=2048,
            max_new_tokens=48,
            strictness="off",
        )
    )
