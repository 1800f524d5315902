"""Free memory, read from made-up control groups."""

import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from locallens_nb.models.memory import Memory, available_memory

GB = 1_000_000_000


@pytest.fixture(autouse=True)
def _plain_machine(monkeypatch: pytest.MonkeyPatch):
    """A machine with 16 GB available, no limit of the address space and no GPU."""
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=16 * GB))
    set_address_space_limit(monkeypatch, -1)
    set_gpu(monkeypatch, is_available=lambda: False)


def set_address_space_limit(monkeypatch: pytest.MonkeyPatch, soft_limit: int) -> None:
    fake = SimpleNamespace(RLIMIT_AS=9, RLIM_INFINITY=-1, getrlimit=lambda _which: (soft_limit, -1))
    monkeypatch.setitem(sys.modules, "resource", fake)


def set_gpu(monkeypatch: pytest.MonkeyPatch, **cuda) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=SimpleNamespace(**cuda)))


def write_group(folder: Path, **files: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        folder.joinpath(name.replace("memory_", "memory.", 1)).write_text(f"{value}\n", encoding="ascii")


def free_ram(tmp_path: Path, membership: str | None) -> int:
    if membership is not None:
        (tmp_path / "proc" / "self").mkdir(parents=True)
        (tmp_path / "proc" / "self" / "cgroup").write_text(membership, encoding="utf-8")
    return available_memory(cgroup_root=tmp_path / "cgroup", proc_root=tmp_path / "proc").ram_bytes


def test_without_control_groups_the_system_decides(tmp_path: Path):
    assert free_ram(tmp_path, None) == 16 * GB


def test_a_second_version_group_leaves_its_limit_minus_its_usage(tmp_path: Path):
    write_group(tmp_path / "cgroup" / "pod", memory_max=2 * GB, memory_current=GB // 2)
    assert free_ram(tmp_path, "0::/pod\n") == 2 * GB - GB // 2


def test_cached_files_count_as_free_unless_they_are_mapped(tmp_path: Path):
    stat = f"anon {GB}\ninactive_file 300\nactive_file 200\nfile_mapped 100"
    write_group(tmp_path / "cgroup" / "pod", memory_max=2 * GB, memory_current=GB, memory_stat=stat)
    assert free_ram(tmp_path, "0::/pod\n") == GB + 400


def test_the_tightest_group_on_the_way_to_the_mount_decides(tmp_path: Path):
    root = tmp_path / "cgroup"
    write_group(root / "outer" / "inner", memory_max="max", memory_current=10)
    write_group(root / "outer", memory_max=GB, memory_current=100)
    write_group(root, memory_max=3 * GB, memory_current=0)
    assert free_ram(tmp_path, "0::/outer/inner\n") == GB - 100


def test_memory_high_limits_as_well(tmp_path: Path):
    write_group(tmp_path / "cgroup" / "pod", memory_max=4 * GB, memory_high=3 * GB, memory_current=GB)
    assert free_ram(tmp_path, "0::/pod\n") == 2 * GB


@pytest.mark.parametrize("path", ["/kubepods/pod1/abc", "/../user.slice"])
def test_a_container_that_sees_the_path_of_its_host_uses_the_mounted_root(tmp_path: Path, path: str):
    write_group(tmp_path / "cgroup", memory_max=GB, memory_current=400)
    write_group(tmp_path / "user.slice", memory_max=1, memory_current=0)
    assert free_ram(tmp_path, f"0::{path}\n") == GB - 400


def test_a_first_version_group_is_read_beside_an_empty_second_one(tmp_path: Path):
    group = tmp_path / "cgroup" / "memory" / "docker" / "abc"
    stat = "inactive_file 7\ntotal_inactive_file 500\ntotal_active_file 0\ntotal_mapped_file 200"
    write_group(group, memory_limit_in_bytes=GB, memory_usage_in_bytes=600, memory_stat=stat)
    assert free_ram(tmp_path, "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n") == GB - 600 + 300


def test_the_group_of_another_controller_has_no_say(tmp_path: Path):
    write_group(tmp_path / "cgroup" / "memory" / "x", memory_limit_in_bytes=GB, memory_usage_in_bytes=600)
    assert free_ram(tmp_path, "5:cpu,cpuacct:/x\n4:memory:/y\n1:name=systemd:/x\n") == 16 * GB


def test_a_limit_without_a_usage_is_none(tmp_path: Path):
    write_group(tmp_path / "cgroup" / "pod", memory_max=GB)
    assert free_ram(tmp_path, "0::/pod\n") == 16 * GB


def test_the_huge_number_of_an_unlimited_first_version_group_changes_nothing(tmp_path: Path):
    write_group(tmp_path / "cgroup" / "memory", memory_limit_in_bytes=9223372036854771712, memory_usage_in_bytes=5)
    assert free_ram(tmp_path, "4:memory:/\n") == 16 * GB


def test_a_group_over_its_limit_leaves_nothing(tmp_path: Path):
    write_group(tmp_path / "cgroup" / "pod", memory_max=100, memory_current=200)
    assert free_ram(tmp_path, "0::/pod\n") == 0


def test_files_that_make_no_sense_are_no_limit(tmp_path: Path):
    write_group(tmp_path / "cgroup" / "pod", memory_max="soon", memory_current="", memory_stat="x")
    assert free_ram(tmp_path, "nonsense\n0::/pod\n") == 16 * GB


def test_statistics_that_make_no_sense_free_nothing(tmp_path: Path):
    write_group(tmp_path / "cgroup" / "pod", memory_max=GB, memory_current=100, memory_stat="inactive_file many\n")
    assert free_ram(tmp_path, "0::/pod\n") == GB - 100


def test_a_limit_of_the_address_space_counts_what_is_mapped_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    class Process:
        def memory_info(self):
            return SimpleNamespace(vms=2 * GB)

    monkeypatch.setattr(psutil, "Process", Process)
    set_address_space_limit(monkeypatch, 5 * GB)
    assert free_ram(tmp_path, None) == 3 * GB


def test_a_system_without_such_limits_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    assert free_ram(tmp_path, None) == 16 * GB


def test_the_free_memory_of_the_gpu_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    set_gpu(monkeypatch, is_available=lambda: True, mem_get_info=lambda: (6 * GB, 8 * GB))
    memory = available_memory(cgroup_root=tmp_path, proc_root=tmp_path)
    assert memory == Memory(ram_bytes=16 * GB, gpu_bytes=6 * GB)


def test_a_gpu_that_does_not_answer_counts_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail():
        raise RuntimeError("CUDA driver is too old")

    set_gpu(monkeypatch, is_available=lambda: True, mem_get_info=fail)
    assert available_memory(cgroup_root=tmp_path, proc_root=tmp_path).gpu_bytes is None


def test_without_a_gpu_its_memory_is_none(tmp_path: Path):
    assert available_memory(cgroup_root=tmp_path, proc_root=tmp_path).gpu_bytes is None
