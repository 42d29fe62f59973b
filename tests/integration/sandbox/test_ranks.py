"""Programs with ranks: several processes of one program, with gloo, in the sandbox of their runner."""

import textwrap
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from problems.calling import Pattern, PythonCallSpec, PythonEntry
from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import ranks_command
from sandbox.spec import Completion, Limits, Termination
from sandbox.wire import ExitStatus, Request, RequestKind, RunFlag, WireArgument
from tests.integration.sandbox.talk import Talk

pytestmark = pytest.mark.integration

NAMES = ("x", "y", "n")
LIMITS = Limits(wall_s=120, cpu_s=120, memory_mib=2048)
Start = Callable[..., Talk]


@pytest.fixture
def start(backend: Bubblewrap) -> Iterator[Start]:
    """A function that loads a program for so many ranks."""
    talks: list[Talk] = []

    def started(
        source: str,
        ranks: int = 2,
        *,
        limits: Limits = LIMITS,
        loads: bool = True,
        counters: Sequence[str] = (),
    ) -> Talk:
        talks.append(Talk(backend, ranks_command(limits)))
        call = PythonCallSpec(PythonEntry.SOLVE, Pattern.of_names(NAMES))
        names = [{"name": name} for name in NAMES]
        manifest = {"arguments": names, "python": call.described(), "ranks": ranks, "counters": counters}
        program = (
            f"import os, sys, time\nimport torch\nimport torch.distributed as dist\n{textwrap.dedent(source)}"
        )
        assert talks[-1].load(program, manifest) == loads, talks[-1].findings()
        return talks[-1]

    yield started
    for talk in talks:
        talk.process.close()


def arrays(ranks: int = 2) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(4 * ranks, dtype=np.float32).reshape(ranks, 4)
    return x, np.full_like(x, -1)


def failed(talk: Talk, **more: int) -> tuple[str, int | None, Completion]:
    """Return message and line of the last finding of a call that fails, and the end of the runner."""
    x, y = arrays()
    assert not talk.run([x, y, ("int32", 4)], **more), y
    last = talk.findings()[-1]
    assert last["severity"] == "error"
    return last["message"], last["line"], talk.end()


@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_add_their_arrays(start: Start, ranks: int) -> None:
    talk = start(
        """
        def solve(x, y, n):
            assert x.shape == (n,) and x.is_cuda and x.device.index == dist.get_rank()
            assert torch.cuda.device_count() == dist.get_world_size()
            torch.cuda.set_device(dist.get_rank())
            y.copy_(x)
            dist.all_reduce(y)
            y += dist.get_rank()
        """,
        ranks,
    )
    for _ in range(2):
        x, y = arrays(ranks)
        assert talk.run([x, y, ("int32", 4)]), talk.findings()
        np.testing.assert_array_equal(y, x.sum(0) + np.arange(ranks)[:, None])


def test_neighbours_send_and_receive(start: Start) -> None:
    talk = start(
        """
        def solve(x, y, n):
            other = 1 - dist.get_rank()
            ops = [dist.P2POp(dist.isend, x, other), dist.P2POp(dist.irecv, y, other)]
            for work in dist.batch_isend_irecv(ops):
                work.wait()
            dist.barrier()
            everything = torch.empty(2 * n, device="cuda")
            dist.all_gather_into_tensor(everything, x)
            part = torch.empty(2, device="cuda")
            dist.reduce_scatter_tensor(part, x.contiguous())
            objects = [None, None]
            dist.all_gather_object(objects, dist.get_rank())
            assert objects == [0, 1] and everything.view(2, n)[other].equal(y)
        """
    )
    x, y = arrays()
    assert talk.run([x, y, ("int32", 4)]), talk.findings()
    np.testing.assert_array_equal(y, x[::-1])


def counted(talk: Talk) -> dict[str, str]:
    """Return what the ranks count in a call: by counter, the largest amount of a rank, with a line."""
    x, y = arrays()
    assert talk.run([x, y, ("int32", 4)], flags=RunFlag.COUNT | RunFlag.SUMS), talk.findings()
    (record,) = [finding["message"] for finding in talk.findings() if finding["kind"] == "sums"]
    language, *pairs = record.split()
    assert language == "python"
    return dict(pair.split("=") for pair in pairs)


def test_collectives_messages_and_bytes_are_counted_in_the_rank_with_most(start: Start) -> None:
    talk = start(
        """
        def solve(x, y, n):
            print("a finding of each call")
            y.copy_(x)
            for _ in range(3):
                dist.all_reduce(y)
            dist.barrier()
            if dist.get_rank():
                dist.send(x, 0)
                dist.isend(x[:1], 0).wait()
            else:
                dist.recv(y, 1)
                dist.recv(y[:1], 1)
            parts = torch.empty(2 * n, device="cuda")
            dist.all_gather_into_tensor(parts, x)
            dist.reduce_scatter_tensor(torch.empty(n, device="cuda"), parts)
        """,
        counters=("collectives", "messages", "sent_bytes"),
    )
    for _ in range(2):
        assert counted(talk) == {"collectives": "6@9", "messages": "2@12", "sent_bytes": "116@9"}


def test_nothing_is_counted_that_no_requirement_needs(start: Start) -> None:
    talk = start(
        """
        def solve(x, y, n):
            dist.all_reduce(y)
        """
    )
    assert counted(talk) == {}


def test_a_syntax_error_and_an_exception_while_loading(start: Start) -> None:
    talk = start("def solve(x:\n", loads=False)
    assert [finding["kind"] for finding in talk.findings()] == ["syntax"]
    assert talk.end().status == ExitStatus.LOAD_ERROR
    talk = start("raise ValueError('no')\n", loads=False)
    assert [(finding["message"], finding["line"]) for finding in talk.findings()] == [("ValueError: no", 4)]
    assert talk.end().status == ExitStatus.LOAD_ERROR


def test_an_exception_names_its_rank(start: Start) -> None:
    message, line, end = failed(
        start(
            """
            def solve(x, y, n):
                if dist.get_rank() == 1:
                    y.copy_(x[:n - 1])
                dist.all_reduce(x)
            """
        )
    )
    assert message.startswith("Rank 1: RuntimeError: ")
    assert line == 7
    assert end.status == ExitStatus.RUNTIME_ERROR


def test_a_deadlock_names_the_lines_of_all_ranks(start: Start) -> None:
    started = time.monotonic()
    message, line, end = failed(
        start(
            """
            def solve(x, y, n):
                other = 1 - dist.get_rank()
                dist.recv(y, other)
                dist.send(x, other)
            """
        ),
        time_limit_ms=1500,
    )
    assert message == (
        "The limit of 1.5 s for one case was reached. "
        "Rank 0 is in line 7: dist.recv(y, other). Rank 1 is in line 7: dist.recv(y, other). "
        "If ranks wait for each other, give each send a matching receive, and call the same collectives in "
        "the same order in all ranks."
    )
    assert line == 7
    assert end.status == ExitStatus.TIME_LIMIT
    assert time.monotonic() - started < 30


def test_collectives_that_do_not_match(start: Start) -> None:
    message, _, end = failed(
        start(
            """
            def solve(x, y, n):
                if dist.get_rank() == 0:
                    dist.all_reduce(x)
            """
        ),
        time_limit_ms=1000,
    )
    assert "Rank 0 is in line 7: dist.all_reduce(x)" in message
    assert "Rank 1 has returned from solve." in message
    assert end.status == ExitStatus.TIME_LIMIT


def test_a_rank_in_an_endless_loop_without_python(start: Start) -> None:
    message, _, end = failed(
        start(
            """
            import ctypes
            def solve(x, y, n):
                if dist.get_rank() == 0:
                    ctypes.PyDLL(None).sleep(1000)  # holds the GIL
                dist.barrier()
            """
        ),
        time_limit_ms=1000,
    )
    assert "Rank 0 cannot report its line" in message
    assert "Rank 1 is in line 9: dist.barrier()" in message
    assert end.status == ExitStatus.TIME_LIMIT


@pytest.mark.parametrize("number", [0, 1])
def test_a_rank_that_exits(start: Start, number: int) -> None:
    source = f"""
        def solve(x, y, n):
            if dist.get_rank() == {number}:
                os._exit(3)
            dist.barrier()
        """
    message, _, end = failed(start(source), time_limit_ms=20000)
    assert message == f"Rank {number} exited with status 3 before solve returned."
    assert end.status == ExitStatus.RUNTIME_ERROR


def test_a_rank_that_crashes(start: Start) -> None:
    source = """
        import ctypes
        def solve(x, y, n):
            if dist.get_rank() == 1:
                ctypes.string_at(8)
            dist.barrier()
        """
    message, _, end = failed(start(source), time_limit_ms=20000)
    assert message == "Rank 1 was killed by SIGSEGV."
    assert (end.ending, end.status) == (Termination.SIGNALLED, 11)


def test_a_rank_that_closes_its_sockets_ends_at_the_limit(start: Start) -> None:
    source = """
        def solve(x, y, n):
            if dist.get_rank() == 1:
                os.closerange(3, 200)
                time.sleep(1000)
        """
    message, _, end = failed(start(source), time_limit_ms=1000)
    assert "Rank 1 " in message  # gloo may abort
    assert end.status in {ExitStatus.TIME_LIMIT, 6}


def test_processes_that_ranks_leave_behind_end_with_the_runner(start: Start) -> None:
    talk = start(
        """
        def solve(x, y, n):
            y.copy_(x)
            if os.fork() == 0:
                os.setsid()
                time.sleep(1000)
        """
    )
    x, y = arrays()
    assert talk.run([x, y, ("int32", 4)]), talk.findings()
    started = time.monotonic()
    talk.quit()
    assert talk.end().ending is Termination.EXITED
    assert time.monotonic() - started < 10


def test_a_fork_bomb_stays_within_the_limit_of_all_ranks(start: Start) -> None:
    message, _, end = failed(
        start(
            """
            def solve(x, y, n):
                while True:
                    if os.fork() == 0:
                        time.sleep(1000)
            """
        ),
        time_limit_ms=20000,
    )
    assert "BlockingIOError" in message
    assert end.status == ExitStatus.RUNTIME_ERROR


def test_memory_counts_for_all_ranks_together(start: Start) -> None:
    talk = start(
        """
        def solve(x, y, n):
            kept = torch.ones(400 << 20, dtype=torch.uint8)
            dist.barrier()
        """,
        limits=Limits(wall_s=120, cpu_s=120, memory_mib=800),
    )
    x, y = arrays()
    assert not talk.run([x, y, ("int32", 4)], time_limit_ms=20000)
    assert talk.end().ending is Termination.MEMORY


def test_ranks_reach_nothing_outside(start: Start) -> None:
    """The sockets that gloo needs lead to this sandbox only."""
    talk = start(
        """
        import socket
        def refused(*kind):
            try:
                socket.socket(*kind)
            except OSError:
                return True
            return False

        def solve(x, y, n):
            assert [name for _, name in socket.if_nameindex()] == ["lo"]
            assert refused(socket.AF_INET6, socket.SOCK_STREAM)
            assert refused(socket.AF_INET, socket.SOCK_RAW)
            assert refused(socket.AF_INET, socket.SOCK_STREAM, 132)
            assert refused(socket.AF_NETLINK, socket.SOCK_RAW, 16)
            try:
                socket.create_connection(("8.8.8.8", 53), timeout=1)
            except OSError as error:
                assert error.errno == 101, error
                y.copy_(x)
        """
    )
    x, y = arrays()
    assert talk.run([x, y, ("int32", 4)]), talk.findings()
    np.testing.assert_array_equal(y, x)


def test_a_rank_that_writes_elsewhere_gains_nothing(start: Start) -> None:
    """The slices of other ranks are in the same memory. A rank can write there, as one process could."""
    talk = start(
        """
        import ctypes
        def solve(x, y, n):
            if dist.get_rank() == 0:
                value = torch.full((n,), 7.0)
                ctypes.memmove(y.data_ptr() + 4 * n, value.data_ptr(), 4 * n)
            dist.barrier()
        """
    )
    x, y = arrays()
    assert talk.run([x, y, ("int32", 4)]), talk.findings()
    np.testing.assert_array_equal(y, [[-1] * 4, [7] * 4])


def test_a_message_to_a_rank_that_does_not_exist(start: Start) -> None:
    message, line, _ = failed(start("def solve(x, y, n):\n    dist.send(x, 2)\n"))
    assert message.endswith("ValueError: there is no rank 2: the ranks are 0 to 1")
    assert line == 5


def test_each_rank_gets_its_slice_of_the_memory() -> None:
    slice_of = pytest.importorskip("sandbox.runner.rank").slice_of  # imports PyTorch
    array = WireArgument(
        "float32", scalar=False, descriptor=1, offset=64, bytes=96, value=224, shape=(4, 3, 2)
    )
    number = WireArgument("int32", scalar=True, value=3)
    request = Request(RequestKind.RUN, 7, (array, number), 500)
    sliced = slice_of(request, 2, 4)
    assert sliced.arguments[0].shape == (3, 2)
    assert (sliced.arguments[0].offset, sliced.arguments[0].bytes) == (64 + 48, 24)
    assert sliced.arguments[1] == number
    assert (sliced.sequence, sliced.time_limit_ms) == (7, 500)
    with pytest.raises(ValueError, match="for 2 ranks"):
        slice_of(request, 0, 2)
