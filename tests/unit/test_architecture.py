"""The rules of the architecture, checked on the source itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import locallens_nb

PACKAGE = Path(locallens_nb.__file__).parent
LAYERS = [
    {"domain", "errors", "settings"},
    {
        "changes",
        "checking",
        "chunking",
        "excerpts",
        "exchange",
        "file_types",
        "files",
        "grounding",
        "language",
        "passages",
        "prompt",
        "questions",
        "readers",
        "uploads",
    },
    {"models", "search", "brain_rows", "claims", "database", "store"},
    {"answers", "asking", "language_check", "dialogue", "indexing", "locallens"},
    {"notebook", "terminal", "doctor", "commands", "evaluation", "cli", "__main__"},
]
"""From the bottom up; a module, or a package of modules, may import its own layer and those below."""

HEAVY = ("torch", "transformers", "sentence_transformers", "faiss", "IPython", "ipywidgets")
MOST_LINES = 400


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


SOURCES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py")) if file != PACKAGE / "__init__.py"}
"""All modules but the root, whose names are lazy."""

EVERY_MODULE = pytest.mark.parametrize("module", SOURCES)


def parse(module: str) -> ast.Module:
    return ast.parse(SOURCES[module].read_text(encoding="utf-8"))


def find_imports(module: str) -> set[str]:
    """Return the modules of the package that a module imports, at its top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(parse(module)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{module} has a relative import"
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        inside = {name.removeprefix("locallens_nb.") for name in names if name.startswith("locallens_nb.")}
        found |= {name for name in inside if name in SOURCES}
    return found - {module}


def layer_of(module: str) -> int:
    top = module.partition(".")[0]
    places = [place for place, names in enumerate(LAYERS) if top in names]
    assert places, f"{module} is in no layer: add it where it belongs"
    return places[0]


def find_attribute_uses(module: str) -> Iterator[str]:
    for node in ast.walk(parse(module)):
        if isinstance(node, ast.Attribute):
            yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_there_are_modules_to_check():
    assert {"domain", "locallens", "models.ladder", "readers.text", "language.words"} <= set(SOURCES)


@EVERY_MODULE
def test_a_module_imports_only_from_its_layer_or_below(module: str):
    upwards = {name for name in find_imports(module) if layer_of(name) > layer_of(module)}
    assert upwards == set()


def test_no_modules_import_each_other_in_a_circle():
    order = list(TopologicalSorter({module: find_imports(module) for module in SOURCES}).static_order())
    assert order.index("domain") < order.index("locallens")


@pytest.mark.parametrize("module", [name for name in SOURCES if name.split(".")[0] in LAYERS[0] | LAYERS[1]])
def test_values_and_pure_functions_load_no_heavy_library(module: str):
    imported = {use.split(".")[0] for use in find_attribute_uses(module)}
    assert imported.isdisjoint(HEAVY)


def test_importing_the_package_loads_nothing_heavy():
    program = f"import sys, locallens_nb; print([name for name in {HEAVY} if name in sys.modules])"
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert outcome.stdout.strip() == "[]"


def test_every_public_name_can_be_imported():
    assert [name for name in locallens_nb.__all__ if not hasattr(locallens_nb, name)] == []
    assert set(locallens_nb.__all__) <= set(dir(locallens_nb))


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Brian'"):
        locallens_nb.Brian  # noqa: B018


@pytest.mark.parametrize("module", [name for name in SOURCES if name != "settings"])
def test_only_the_settings_read_the_environment(module: str):
    uses = [use for use in find_attribute_uses(module) if use.startswith(("os.environ", "os.getenv", "os.putenv"))]
    # Processes are started with the whole environment of this one, and settings of our own.
    assert uses == (["os.environ"] if module in {"models.packaged", "models.conversion"} else [])


@EVERY_MODULE
def test_nothing_is_pickled(module: str):
    words = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "allow_pickle"}
    used = {part for use in find_attribute_uses(module) for part in use.split(".")}
    for node in ast.walk(parse(module)):
        if isinstance(node, ast.Import):
            used |= {part for alias in node.names for part in alias.name.split(".")}
        elif isinstance(node, ast.keyword) and node.arg:
            used.add(node.arg)
    assert used & words == set()
    assert not [use for use in find_attribute_uses(module) if use in {"torch.load", "torch.save"}]


@EVERY_MODULE
def test_no_module_is_too_long(module: str):
    assert len(SOURCES[module].read_text(encoding="utf-8").splitlines()) < MOST_LINES


@EVERY_MODULE
def test_every_module_says_what_it_is_for(module: str):
    assert ast.get_docstring(parse(module))


@pytest.mark.parametrize("module", [name for name in SOURCES if name not in {"terminal", "commands", "cli", "__main__"}])
def test_only_the_command_line_prints(module: str):
    calls = [node for node in ast.walk(parse(module)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    assert [call.lineno for call in calls if call.func.id == "print"] == []
