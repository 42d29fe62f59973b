"""Tests that a runner which may not start processes uses a helper without devices to start them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[4]
BEGIN = """
import ctypes, json, os, subprocess, sys, threading
from sandbox.runner.helper import Helper
from sandbox.runner.lockdown import forbid_processes
Helper.start().install()
forbid_processes()
found = {}
"""
END = "\nprint(json.dumps(found))"


def in_a_locked_process(body: str, folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + body + END],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_it_is_used_as_subprocess_is(tmp_path: Path) -> None:
    body = """
done = subprocess.run(["sh", "-c", "cat; echo $WORD >&2; pwd; exit 3"], input=b"given ", capture_output=True,
    env={**os.environ, "WORD": "said"}, cwd="/usr")
found["run"] = [done.stdout.decode(), done.stderr.decode(), done.returncode]
with open("log", "w+") as log:
    try:
        subprocess.run(["sh", "-c", "echo wrong >&2; exit 1"], check=True, close_fds=False, stderr=log)
    except subprocess.CalledProcessError as error:
        found["failed"] = error.returncode
    log.seek(0)
    found["log"] = log.read()
found["output"] = subprocess.check_output("echo $((6 * 7))", shell=True, text=True)
found["quiet"] = subprocess.check_call(["true"], stdout=subprocess.DEVNULL)
try:
    subprocess.run(["/nothing/here"])
except FileNotFoundError as error:
    found["missing"] = error.filename
try:
    subprocess.run(["sleep", "60"], timeout=0.2)
except subprocess.TimeoutExpired:
    found["late"] = True
killed = subprocess.Popen(["sleep", "60"])
killed.kill()
found["killed"] = killed.wait()
many = [subprocess.Popen(["sh", "-c", f"exit {code}"]) for code in range(8)]
found["many"] = [process.wait() for process in many]
"""
    found = in_a_locked_process(body, tmp_path)
    assert found == {
        "run": ["given /usr\n", "said\n", 3],
        "failed": 1,
        "log": "wrong\n",
        "output": "42\n",
        "quiet": 0,
        "missing": "/nothing/here",
        "late": True,
        "killed": -9,
        "many": list(range(8)),
    }


def test_the_process_itself_starts_threads_and_nothing_else(tmp_path: Path) -> None:
    body = """
from concurrent.futures import ThreadPoolExecutor
def refused(start):
    try:
        start()
    except OSError as error:
        return error.errno
    return 0
libc = ctypes.CDLL(None, use_errno=True)
def vfork():
    if libc.syscall(58) < 0:
        raise OSError(ctypes.get_errno(), "vfork")
found["fork"] = refused(os.fork)
found["exec"] = refused(lambda: os.execv("/bin/true", ["true"]))
found["spawn"] = refused(lambda: os.posix_spawn("/bin/true", ["true"], {}))
found["vfork"] = refused(vfork) if sys.platform == "linux" and os.uname().machine == "x86_64" else 1
with ThreadPoolExecutor(1) as threads:
    found["thread"] = threads.submit(lambda: refused(os.fork)).result()
found["system"] = os.system("true") != 0
"""
    refused = {"fork": 1, "exec": 1, "spawn": 1, "vfork": 1, "thread": 1, "system": True}
    assert in_a_locked_process(body, tmp_path) == refused


@pytest.mark.parametrize("request_", [0xC020462A, 0xC00846D2, 0x30000001], ids=["RM", "version", "UVM"])
def test_what_it_starts_has_no_devices(request_: int, tmp_path: Path) -> None:
    """/dev/null knows no requests at all (ENOTTY); the filter does not even ask it (EPERM)."""
    body = f"""
asks = "import fcntl, os, sys\\ntry: fcntl.ioctl(os.open('/dev/null', 0), int(sys.argv[1]))\\n" \
       "except OSError as error: print(error.errno)"
found["device"] = subprocess.check_output([sys.executable, "-c", asks, "{request_}"], text=True)
found["terminal"] = subprocess.check_output([sys.executable, "-c", asks, str(0x5401)], text=True)
"""
    assert in_a_locked_process(body, tmp_path) == {"device": "1\n", "terminal": "25\n"}
