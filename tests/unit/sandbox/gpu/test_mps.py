"""Tests MPS of a GPU, with a stand-in for NVIDIA's control program that speaks its protocol."""

import os
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.gpu.mps import Mps, MpsRefused, MpsUnavailable, ServerState
from sandbox.gpu.stopped import identity, wake

UUID = "GPU-00000000-0000-0000-0000-000000000000"


@pytest.fixture
def mps(short_path: Path, control_program: str) -> Iterator[Mps]:
    made = Mps(UUID, 0, short_path, binary=control_program, client_memory_mib=4096)
    yield made
    made.stop()


def tell(mps: Mps, name: str, text: str = "") -> None:
    (mps.log_directory / name).write_text(text)


def daemon_of(mps: Mps) -> int:
    return int((mps.pipe_directory / "nvidia-cuda-mps-control.pid").read_text())


def lives(pid: int) -> bool:
    return Path("/proc", str(pid)).exists() and " Z " not in Path("/proc", str(pid), "stat").read_text()


def test_nothing_runs_before_it_is_started(mps: Mps) -> None:
    assert not mps.healthy()
    with pytest.raises(MpsUnavailable, match="no MPS daemon is running in"):
        mps.clients()
    mps.stop()


def test_ensure_starts_a_daemon_with_its_server_and_limits(mps: Mps) -> None:
    mps.ensure()
    assert mps.healthy()
    (server,) = mps.servers()
    assert (server.state, server.clients) == (ServerState.ACTIVE, ())
    assert (mps.log_directory / "arguments").read_text() == "-d -multiuser-server"
    commands = (mps.log_directory / "control.log").read_text()
    assert "set_default_device_pinned_mem_limit 0 4096M" in commands
    assert f"start_server -uid {os.geteuid()}" in commands


def test_ensure_leaves_alone_what_runs(mps: Mps) -> None:
    mps.ensure()
    before = daemon_of(mps)
    threads = [threading.Thread(target=mps.ensure) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert daemon_of(mps) == before


def test_a_new_daemon_is_told_from_the_one_before(mps: Mps) -> None:
    assert mps.born is None
    mps.ensure()
    first = mps.born
    assert first is not None
    mps.ensure()
    assert mps.born == first
    mps.restart()
    assert mps.born not in (None, first)


def test_a_daemon_that_left_its_socket_behind_is_said_to_have_gone(mps: Mps) -> None:
    mps.ensure()
    daemon = daemon_of(mps)
    os.kill(daemon, signal.SIGKILL)
    while lives(daemon):
        time.sleep(0.01)
    assert mps.born is not None
    with pytest.raises(MpsUnavailable, match="no MPS daemon is running in") as gone:
        mps.clients()
    assert "its log ends" in str(gone.value)


def test_the_daemon_gets_none_of_our_secrets(mps: Mps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPCOURT_SECRET_KEY", "hush")
    mps.ensure()
    names = set((mps.log_directory / "environment").read_text().split())
    ours = {"CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"}
    assert ours <= names
    assert names - ours <= {"PATH", "LD_LIBRARY_PATH", "LC_CTYPE"}  # the last is set by Python itself


def test_only_the_worker_reaches_the_directories(mps: Mps) -> None:
    mps.ensure()
    for directory in (mps.pipe_directory, mps.log_directory, mps.pipe_directory.parent):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_clients_are_host_process_ids(mps: Mps) -> None:
    mps.ensure()
    tell(mps, "clients", "4711\n4712")
    assert mps.clients() == (4711, 4712)


def test_terminate_takes_one_client_off_and_leaves_the_others(mps: Mps) -> None:
    mps.ensure()
    tell(mps, "clients", "4711\n4712")
    assert mps.terminate(4711)
    assert mps.clients() == (4712,)
    assert not mps.terminate(4711)
    assert not mps.terminate(1)


@pytest.fixture
def stopped() -> Iterator[subprocess.Popen[bytes]]:
    """A process that was stopped by a signal."""
    with subprocess.Popen(["sleep", "600"]) as process:
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        yield process
        process.kill()


def test_a_client_that_was_stopped_goes_on_so_that_it_can_be_terminated(
    mps: Mps, stopped: subprocess.Popen[bytes]
) -> None:
    mps.ensure()
    tell(mps, "clients", str(stopped.pid))
    assert mps.terminate(stopped.pid)
    assert mps.clients() == ()


def test_a_client_that_does_not_answer_is_waited_for_once(
    mps: Mps, stopped: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a client, which stops itself again and again, cost two seconds for each attempt."""
    monkeypatch.setattr("sandbox.gpu.mps.wake", lambda _: False)
    monkeypatch.setattr("sandbox.gpu.mps._TERMINATE_S", 3.0)
    mps.ensure()
    tell(mps, "clients", str(stopped.pid))
    with pytest.raises(MpsUnavailable, match="took more than"):
        mps.terminate(stopped.pid)
    stopped.send_signal(signal.SIGCONT)
    assert not mps.terminate(stopped.pid)
    asked = (mps.log_directory / "control.log").read_text()
    assert asked.count("terminate_client") == 1


def test_a_process_is_told_from_a_later_one_with_its_id(stopped: subprocess.Popen[bytes]) -> None:
    before = identity(stopped.pid)
    assert before == identity(stopped.pid)
    stopped.kill()
    stopped.wait()
    assert identity(stopped.pid) != before
    assert not wake(stopped.pid)


def test_nobody_is_terminated_in_a_server_that_has_faulted(mps: Mps) -> None:
    """The real one hangs when it is asked to, and after a fault there are no neighbours to spare."""
    mps.ensure()
    tell(mps, "clients", "4711")
    tell(mps, "faulted")
    assert not mps.terminate(4711)
    assert "terminate_client" not in (mps.log_directory / "control.log").read_text()


def test_a_fault_is_seen(mps: Mps) -> None:
    mps.ensure()
    tell(mps, "faulted")
    assert mps.servers()[0].state is ServerState.FAULT
    assert not mps.healthy()


def test_a_daemon_of_another_user_is_told_apart(mps: Mps) -> None:
    mps.ensure()
    tell(mps, "clients", "4711")
    tell(mps, "refuses")
    with pytest.raises(MpsRefused, match="belongs to another user"):
        mps.terminate(4711)
    (mps.log_directory / "refuses").unlink()


def test_strange_answers_are_refused(mps: Mps) -> None:
    mps.ensure()
    tell(mps, "clients", "4711; rm")
    with pytest.raises(MpsUnavailable, match="answered '4711;' where process ids were expected"):
        mps.clients()


def test_a_killed_daemon_is_replaced_and_its_server_with_it(mps: Mps) -> None:
    mps.ensure()
    (old,) = mps.servers()
    os.kill(daemon_of(mps), signal.SIGKILL)
    deadline = time.monotonic() + 5
    while mps.healthy():
        assert time.monotonic() < deadline
    assert lives(old.pid), "the server has outlived its daemon"
    mps.ensure()
    assert mps.healthy()
    assert not lives(old.pid)
    assert mps.servers()[0].pid != old.pid


def test_a_deaf_daemon_does_not_hold_anybody_up(mps: Mps, short_path: Path, control_program: str) -> None:
    mps.ensure()
    tell(mps, "deaf")
    deaf = daemon_of(mps)
    impatient = Mps(UUID, 0, short_path, binary=control_program, patience_s=0.5)
    with pytest.raises(MpsUnavailable, match=r"get_server_list took more than 0\.5 s"):
        impatient.clients()
    impatient.ensure()
    assert mps.healthy()
    assert not lives(deaf)


def test_restart_and_stop(mps: Mps) -> None:
    mps.ensure()
    first = daemon_of(mps)
    mps.restart()
    assert mps.healthy()
    assert not lives(first)
    second = daemon_of(mps)
    mps.stop()
    mps.stop()
    assert not mps.healthy()
    assert not lives(second)


def test_only_what_is_ill_is_replaced(mps: Mps) -> None:
    mps.ensure()
    first = daemon_of(mps)
    mps.recover()
    assert daemon_of(mps) == first
    os.kill(first, signal.SIGKILL)
    while lives(first):
        time.sleep(0.01)
    mps.recover()
    assert mps.healthy()
    assert daemon_of(mps) != first


def test_a_server_that_is_initializing_is_not_replaced(mps: Mps) -> None:
    mps.ensure()
    first = daemon_of(mps)
    tell(mps, "initializing")
    assert not mps.healthy()
    mps.recover()
    assert daemon_of(mps) == first


def test_each_gpu_has_its_own(mps: Mps, short_path: Path, control_program: str) -> None:
    other = Mps("GPU-1", 1, short_path, binary=control_program)
    try:
        mps.ensure()
        other.ensure()
        assert mps.pipe_directory != other.pipe_directory
        other.stop()
        assert mps.healthy()
    finally:
        other.stop()


def test_a_user_who_is_not_root_is_told(
    short_path: Path, control_program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(MpsUnavailable, match=r"Run the worker as root, or .*WARPCOURT_MPS=no"):
        Mps(UUID, 0, short_path, binary=control_program).ensure()


@pytest.mark.usefixtures("control_program")
def test_a_missing_program_says_what_to_install(short_path: Path) -> None:
    with pytest.raises(MpsUnavailable, match=r"comes with the driver[\s\S]*WARPCOURT_MPS=no"):
        Mps(UUID, 0, short_path, binary="no-such-program").ensure()


@pytest.mark.usefixtures("control_program")
def test_a_daemon_that_does_not_come_up_says_what_it_logged(short_path: Path) -> None:
    broken = short_path / "broken"
    broken.write_text('#!/bin/sh\necho "no device" > "$CUDA_MPS_LOG_DIRECTORY/control.log"\nexit 3\n')
    broken.chmod(0o755)
    with pytest.raises(MpsUnavailable, match=r"starting MPS failed: .*its log ends: no device"):
        Mps(UUID, 0, short_path, binary=str(broken)).ensure()


def test_a_directory_with_too_long_a_name_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(MpsUnavailable, match="choose a shorter runtime directory"):
        Mps(UUID, 0, tmp_path / ("long" * 30))
