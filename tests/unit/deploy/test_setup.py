"""Tests the set-up on machines that lack programs: what it installs, and its errors."""

import json
import subprocess
import sys
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
    assert "cannot reach" in said
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


def test_uv_is_installed_as_the_lock_of_the_tests_says() -> None:
    first, *hashes = setup._requirement(setup.REQUIREMENTS / "test.txt", "uv").splitlines()
    assert first.startswith("uv==")
    assert hashes
    assert all(line.strip().startswith("--hash=sha256:") for line in hashes)


def test_pip_installs_what_uv_cannot(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup, "UV", fake_python(tmp_path / "uv", "echo no index >&2; exit 1"))
    installed: list[str] = []
    monkeypatch.setattr(setup, "_pip", lambda *arguments: installed.append(arguments[-1]))
    lock = setup.REQUIREMENTS / "run.txt"
    setup._install_lock(lock)
    assert installed == [str(lock)]
    assert "no index" in capsys.readouterr().out


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
    assert "could not install promtool: E: Unable to locate package" in capsys.readouterr().out


def fake_python(path: Path, said: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{said}\n")
    path.chmod(0o755)
    return path


def test_other_pythons_are_found_on_the_path_and_of_pyenv(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(setup, "PYTHONS", ("3.71", "3.72", "3.73", "3.74"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    versions = tmp_path / "pyenv" / "versions"
    on_path = fake_python(tmp_path / "bin" / "python3.71", "echo 3.71")
    fake_python(tmp_path / "bin" / "python3.72", "echo 'not among the versions of pyenv' >&2; exit 127")
    fake_python(versions / "3.72.1" / "bin" / "python3.72", "echo 3.72")
    newer = fake_python(versions / "3.72.4" / "bin" / "python3.72", "echo 3.72")
    fake_python(tmp_path / "bin" / "python3.73", "echo 3.11")  # says that it is another
    assert setup.other_pythons() == {"3.71": on_path, "3.72": newer}


def test_the_python_that_tests_run_on_is_no_other_one() -> None:
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert own in setup.PYTHONS
    assert own not in setup.other_pythons()


def test_every_python_that_is_supported_is_named_alike() -> None:
    oldest, newest = setup.PYTHONS[0], setup.PYTHONS[-1]
    assert (
        f"({', '.join(oldest.split('.'))}) <= sys.version_info" in (setup.ROOT / "deploy/setup").read_text()
    )
    assert f"Python {oldest} to {newest}" in (setup.ROOT / "README.md").read_text()
    assert f'requires-python = ">={oldest}"' in (setup.ROOT / "pyproject.toml").read_text()
