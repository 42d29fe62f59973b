"""The Triton runner on a GPU, as a plain process."""

import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from sandbox.gpu.runners import build_device_runner, of_this_process, triton_runner_command
from sandbox.runner import vmm
from sandbox.spec import Limits
from sandbox.toolchain import ToolchainMissing, find_toolkit
from sandbox.wire import ExitStatus, PageOrder, RunFlag
from testing.services import need
from tests.gpu.bare import opened_device, talk_to
from tests.integration.sandbox.talk import Argument, Talk, wait_until

pytestmark = pytest.mark.gpu

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "tests"
LIMITS = Limits(wall_s=120, cpu_s=120, memory_mib=16384)
MANIFEST: dict[str, object] = {"arguments": []}
HEAD = """\
import torch
import triton
import triton.language as tl

@triton.jit
def add(a, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    {load}
    tl.store(c + i, x + tl.load(c + i, mask=i < n), mask=i < n)

@triton.jit
def hang(c):
    x = tl.load(c, volatile=True)
    while x != 12345.0:
        x = tl.load(c, volatile=True)

@triton.jit
def huge(c, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(c + i[:, None] * 0 + i[None, :] * 0)
    tl.store(c + i[:, None] * 0 + i[None, :] * 0, tl.dot(x, x))

def solve(a, c, n):
    {body}
"""
LOAD = "x = tl.load(a + i, mask=i < n)"
LAUNCH = "add[(triton.cdiv(n, 1024),)](a, c, n, BLOCK=1024)"
GOOD = HEAD.format(load=LOAD, body=LAUNCH)


@pytest.fixture(scope="module")
def device() -> Iterator[vmm.Device]:
    if not (find_spec("torch") and find_spec("triton")):
        pytest.skip("no PyTorch and Triton")
    with opened_device() as opened:
        yield opened


@pytest.fixture(scope="module")
def runner() -> Path:
    """The native parts."""
    try:
        return build_device_runner(CACHE, find_toolkit())
    except ToolchainMissing as error:
        need(False, "the toolchain", str(error))
        raise


@pytest.fixture
def start(device: vmm.Device, runner: Path, tmp_path: Path) -> Iterator[Callable[[], Talk]]:
    started: list[Talk] = []

    def begin() -> Talk:
        command = triton_runner_command(of_this_process(), runner, limits=LIMITS, gpu=None)
        started.append(talk_to(command, tmp_path, device))
        return started[-1]

    yield begin
    for talk in started:
        talk.close()


@pytest.fixture
def talk(start: Callable[[], Talk]) -> Talk:
    runner = start()
    assert runner.prepare(), runner.end().stdout
    return runner


def arguments(n: int = 5000) -> list[Argument]:
    return [np.arange(n, dtype=np.float32), np.ones(n, np.float32), ("int32", n)]


def test_computes_on_shared_device_memory(talk: Talk) -> None:
    assert talk.load(GOOD, MANIFEST)
    for n in (5000, 1, 1 << 20):
        given = arguments(n)
        assert talk.run(given), talk.findings()
        np.testing.assert_array_equal(given[1], 1 + np.arange(n, dtype=np.float32))
    notes = {finding["message"] for finding in talk.findings()}
    assert notes == {"add[(5,)]", "add[(1,)]", "add[(1024,)]"}


def test_every_dtype_arrives(talk: Talk) -> None:
    source = (
        "def solve(*arguments):\n"
        "    print([str(a.dtype) if hasattr(a, 'dtype') else repr(a) for a in arguments])\n"
        "    print({a.device.type for a in arguments if hasattr(a, 'device')})\n"
        "    for a in arguments[:7]:\n"
        "        a.fill_(2)\n"
        "    arguments[7].fill_(True)\n"
    )
    assert talk.load(source, MANIFEST)
    kinds = (np.float64, np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8)
    given: list[Argument] = [np.ones(9, kind) for kind in kinds]
    given += [np.zeros((3, 3), np.bool_), np.full(2, 0x3F80, np.uint16), np.ones(3, np.uint32)]
    given += [np.zeros((2, 0), np.float32), ("int32", (-3) & (2**64 - 1)), ("bool", 1)]
    assert talk.run(given, dtypes={8: "bfloat16"}), talk.findings()
    for array in given[:7]:
        np.testing.assert_array_equal(array, np.full(9, 2))
    np.testing.assert_array_equal(given[7], np.ones((3, 3), np.bool_))
    assert talk.findings()[-1]["kind"] == "no_kernel"
    talk.process.kill()
    said = talk.end().stdout.decode()
    assert "'torch.bool', 'torch.bfloat16', 'torch.uint32', 'torch.float32', '-3', 'True']\n" in said
    assert "{'cuda'}" in said


def test_bfloat16_and_uint32_can_be_computed_with(talk: Talk) -> None:
    source = (
        "import triton\nimport triton.language as tl\n\n"
        "@triton.jit\ndef double(x, n, BLOCK: tl.constexpr):\n"
        "    i = tl.arange(0, BLOCK)\n"
        "    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)\n\n"
        "def solve(a, b):\n    double[(1,)](a, 5, BLOCK=8)\n    double[(1,)](b, 5, BLOCK=8)\n"
    )
    assert talk.load(source, MANIFEST)
    bfloat16, uint32 = np.full(5, 0x3FC0, np.uint16), np.full(5, 2**31 - 1, np.uint32)
    assert talk.run([bfloat16, uint32], dtypes={0: "bfloat16"}), talk.findings()
    np.testing.assert_array_equal(bfloat16, np.full(5, 0x4040))  # 1.5 to 3
    np.testing.assert_array_equal(uint32, np.full(5, 2**32 - 2))


def test_copies_of_exact_size_come_back(talk: Talk) -> None:
    assert talk.load(GOOD, MANIFEST)
    given = arguments()
    assert talk.run(given, flags=RunFlag.SANITIZE), talk.findings()
    np.testing.assert_array_equal(given[1], 1 + np.arange(5000))


@pytest.mark.parametrize(
    ("load", "body", "status", "kind", "words", "line"),
    [
        (
            "x = tl.load(a + i + (1 << 40))",
            LAUNCH,
            ExitStatus.ILLEGAL_ACCESS,
            "illegal_address",
            "Kernel add[(5,)] read or wrote memory",
            None,
        ),
        (LOAD, "hang[(1,)](c)", ExitStatus.TIME_LIMIT, "time_limit", "last kernel was hang[(1,)]", None),
        (LOAD, "while True: pass", ExitStatus.TIME_LIMIT, "time_limit", "limit of 5 s", 24),
        ("x = missing", LAUNCH, ExitStatus.RUNTIME_ERROR, "compile", "missing", 8),
        (LOAD, "huge[(1,)](c, BLOCK=256)", ExitStatus.RUNTIME_ERROR, "resources", "shared memory", 24),
        (LOAD, "raise ValueError('bad')", ExitStatus.RUNTIME_ERROR, "exception", "ValueError: bad", 24),
        (
            LOAD,
            "torch.empty(1 << 45, device='cuda')",
            ExitStatus.MEMORY_LIMIT,
            "memory",
            "out of memory",
            24,
        ),
    ],
)
def test_what_goes_wrong(
    talk: Talk, load: str, body: str, status: int, kind: str, words: str, line: int | None
) -> None:
    assert talk.load(HEAD.format(load=load, body=body), MANIFEST)
    limit_ms = 5000 if status == ExitStatus.TIME_LIMIT else 60_000  # compiling may take several seconds
    assert not talk.run(arguments(), time_limit_ms=limit_ms)
    end = talk.end()
    finding = talk.findings()[-1]
    assert finding["kind"] == kind, finding
    assert words in finding["message"], finding
    assert end.status == status
    if line is not None:
        assert finding["line"] == line, finding


@pytest.mark.parametrize("kind", [PageOrder.CALLED, PageOrder.QUEUED])
def test_a_timed_session(talk: Talk, kind: PageOrder, capsys: pytest.CaptureFixture[str]) -> None:
    n = 1 << 24
    assert talk.load(GOOD, MANIFEST)
    assert talk.run(arguments(n))  # a compiler may not wait behind what waits for us
    sets = [arguments(n) for _ in range(4)]
    session = talk.start_session(*sets, flags=True)
    for number in (2, 0, 1, 2, 3, 2):
        session.order(number, kind)
        assert session.done_flag == session.number
    session.read_back()
    assert [int(np.asarray(given[1])[1]) - 1 for given in sets] == [1, 1, 3, 1]
    took_us = min(session.order(number % 4, kind) for number in range(50)) * 1e6
    assert talk.end_session(session)
    with capsys.disabled():
        sys.stdout.write(f"\nTriton {took_us:.2f} us a call, {kind.name.lower()}\n")


def test_a_queued_call_waits_on_the_device(talk: Talk) -> None:
    assert talk.load(GOOD, MANIFEST)
    given = arguments()
    session = talk.start_session(given, flags=True)
    session.order(0)
    session.give(0, PageOrder.QUEUED)
    wait_until(lambda: session.queued)
    time.sleep(0.1)
    assert (session.done, session.done_flag) == (False, 1)
    session.open()
    wait_until(lambda: session.done)
    assert session.done_flag == 2
    session.read_back()
    assert int(np.asarray(given[1])[1]) - 1 == 2
    assert talk.end_session(session)


@pytest.mark.parametrize(
    ("load", "body", "status"),
    [
        (LOAD, "raise ValueError('bad')", ExitStatus.RUNTIME_ERROR),
        ("x = tl.load(a + i + (1 << 40))", LAUNCH, ExitStatus.ILLEGAL_ACCESS),
    ],
)
def test_what_goes_wrong_in_a_timed_call_ends_the_process(
    talk: Talk, load: str, body: str, status: int
) -> None:
    assert talk.load(HEAD.format(load=load, body=body), MANIFEST)
    session = talk.start_session(arguments(), flags=True)
    with pytest.raises(AssertionError, match="not carried out"):
        session.order(0, timeout_s=10)
    assert talk.end().status == status


def test_a_session_before_loading_is_refused(talk: Talk) -> None:
    session = talk.start_session(arguments(), flags=True)
    assert talk.end().status not in (0, *ExitStatus)
    session.close()
