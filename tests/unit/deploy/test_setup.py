"""Set-up on machines that lack something: what it installs, and what it says when it cannot."""

import json
import subprocess
from pathlib import Path

import pytest

from deploy import setup


@pytest.fixture
def empty_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(setup, "VENV", tmp_path / ".venv")
    monkeypatch.setattr("shutil.which", lambda program: None)
    monkeypatch.setattr(setup, "_can_make_venv", lambda: False)


@pytest.mark.usefixtures("empty_machine")
def test_a_bare_machine_lacks_what_running_needs() -> None:
    missing = setup.missing_packages(test=False)
    assert {"bubblewrap", "g++"} <= set(missing)
    assert missing[-1].endswith("-venv")
    assert "redis-server" not in missing


@pytest.mark.usefixtures("empty_machine")
def test_testing_needs_services_and_a_browser() -> None:
    assert {"redis-server", "chromium-headless-shell"} <= set(setup.missing_packages(test=True))


@pytest.mark.usefixtures("empty_machine")
def test_only_root_tests_with_a_container_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    for user, wanted in ((0, {"docker.io", "debootstrap"}), (1000, set())):
        monkeypatch.setattr("os.geteuid", lambda user=user: user)
        assert {"docker.io", "debootstrap"} & set(setup.missing_packages(test=True)) == wanted
    assert "docker.io" not in setup.missing_packages(test=False)


def test_nothing_is_installed_where_nothing_lacks() -> None:
    setup.install_system_packages([])


def test_without_root_it_prints_the_command_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("shutil.which", lambda program: f"/usr/bin/{program}")
    with pytest.raises(setup.SetupFailed, match=r"sudo apt-get install -y .*bubblewrap"):
        setup.install_system_packages(["bubblewrap"])


def test_without_apt_it_names_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program: None)
    with pytest.raises(setup.SetupFailed, match="your package manager: bubblewrap"):
        setup.install_system_packages(["bubblewrap"])


def test_no_network_is_explained() -> None:
    said = setup._explain_pip("WARNING: Retrying … NewConnectionError: failed to establish a new connection")
    assert "cannot be reached" in said
    assert "PIP_INDEX_URL" in said


def offer(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    report = {"install": [{"metadata": {"name": name}} for name in names]}
    monkeypatch.setattr(setup, "_pip", lambda *arguments: json.dumps(report))
    monkeypatch.setattr("pathlib.Path.exists", lambda path: False)


def test_gigabytes_of_cuda_are_refused_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "torch", "nvidia-cublas", "cuda-toolkit", "sympy")
    with pytest.raises(setup.SetupFailed, match=r"2 CUDA packages[\s\S]*PIP_EXTRA_INDEX_URL[\s\S]*TRITON=0"):
        setup._refuse_cuda_torch()


def test_a_cpu_build_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "torch", "sympy")
    setup._refuse_cuda_torch()


def test_a_step_runs_again_only_when_its_inputs_change(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(setup, "VENV", tmp_path)
    lock, runs = tmp_path / "lock", []
    lock.write_text("1")
    for _ in range(2):
        setup._once("step", [lock], lambda: runs.append(1))
    assert len(runs) == 1
    lock.write_text("2")
    setup._once("step", [lock], lambda: runs.append(1))
    assert len(runs) == 2


def test_a_step_that_failed_runs_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(setup, "VENV", tmp_path)

    def fail() -> None:
        raise setup.SetupFailed("no")

    for _ in range(2):
        with pytest.raises(setup.SetupFailed):
            setup._once("step", [], fail)


def test_packages_are_compiled_after_each_installation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(setup, "VENV", tmp_path)
    compiled: list[object] = []
    monkeypatch.setattr("subprocess.run", lambda argv, **_: compiled.append(argv[-1]))
    for stamp in ("1", "1", "2"):
        (tmp_path / ".warpcourt-run").write_text(stamp)
        setup.compile_packages()
    assert compiled == [str(tmp_path / "lib")] * 2


@pytest.mark.parametrize("driver", [True, False])
def test_gpu_packages_are_for_machines_with_a_driver(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, driver: bool
) -> None:
    monkeypatch.setattr(setup, "VENV", tmp_path)
    monkeypatch.setattr(setup, "DRIVER", tmp_path if driver else tmp_path / "none")
    installed: list[str] = []
    monkeypatch.setattr(setup, "_install_lock", lambda path: installed.append(path.name))
    setup.install_gpu_packages()
    assert installed == (["gpu.txt"] if driver else [])


@pytest.mark.usefixtures("empty_machine")
def test_without_apt_promtool_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    setup.install_promtool()
    assert capsys.readouterr().out == ""


def test_a_promtool_that_cannot_be_had_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup, "VENV", tmp_path)
    monkeypatch.setattr("shutil.which", lambda program: "/usr/bin/apt-get" if program == "apt-get" else None)
    refused = subprocess.CompletedProcess([], 100, stderr="E: Unable to locate package prometheus")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: refused)
    setup.install_promtool()
    assert "there is no promtool: E: Unable to locate package" in capsys.readouterr().out
