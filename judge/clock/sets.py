"""The argument sets of a timed session, in host or device memory of the referee, and their number.

Theory of operation. Every set has its own buffers, with guard bands, at its own addresses. The clock assigns
contents to a set each time that it arms the set. So a program that stores results by pointer returns them for
other inputs. Calls are made one after the other, so one copy of the outputs and one copy of their poison
serve all sets.

Outputs get their poison twice: when a set is armed, and again together with the inputs, when no other kernel
can run. A program may know parts of its outputs before it has inputs, and could write them in between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Self

from judge.clock.contracts import Policy
from judge.drawn import inputs, outputs
from judge.runner.call import Call
from judge.runner.checking import ByTolerance, Checking
from judge.runner.inspector import InspectionResult, inspect
from judge.runner.memory import Buffer, Memory, PrivateBytes
from judge.sizes import bytes_of
from problems.schema import Case, Problem
from problems.vocabulary import Role, Verdict
from sandbox.wire import MAX_DESCRIPTORS, WireArgument

_GRANULE_BYTES = 2 * 2**20  # device allocations are rounded up to this size
_TIMED = "In a timed repetition: "


class MemorySets:
    """Implements `judge.clock.contracts.TimedSets` in `memory`. Owns the sets' buffers until `close`.

    `contents` are input sets of the case that the oracle has drawn. They must stay open while this object is
    used.
    """

    def __init__(
        self,
        problem: Problem,
        case: Case,
        memory: Memory,
        contents: Sequence[Mapping[str, PrivateBytes]],
        count: int,
        checking: Checking | None = None,
    ) -> None:
        self._checking = checking or ByTolerance(problem, memory)
        self._problem, self._case, self._memory, self._contents = problem, case, memory, contents
        self._calls: list[Call] = []
        self._poisons: dict[str, PrivateBytes] = {}
        self._zeros: dict[str, PrivateBytes] = {}
        self._copies: dict[str, PrivateBytes] = {}
        self._held = [0] * count
        try:
            for _ in range(count):
                self._add()
            for argument in outputs(problem):
                self._copies[argument.name] = self._calls[0].buffers[argument.name].snapshot()
        except BaseException:
            self.close()
            raise

    def _add(self) -> None:
        call = Call(self._memory)
        self._calls.append(call)
        for argument in self._problem.arguments:
            call.add(argument, self._case)

    @property
    def count(self) -> int:
        """The number of sets."""
        return len(self._calls)

    @property
    def contents(self) -> int:
        """The number of distinct input sets."""
        return len(self._contents)

    @property
    def output_bytes(self) -> int:
        """The size of all outputs of one set."""
        return sum(bytes_of(argument, self._case.sizes) for argument in outputs(self._problem))

    @property
    def arguments(self) -> tuple[WireArgument, ...]:
        """The arguments of the first set, as the request encodes them."""
        return self._calls[0].arguments

    @property
    def descriptors(self) -> list[int]:
        """The arrays' descriptors, one set after the other."""
        return [descriptor for call in self._calls for descriptor in call.descriptors]

    def arm(self, number: int, content: int) -> None:
        """Prepare a set for a call on `content`: poison or clear its outputs."""
        self._held[number] = content
        for argument in self._problem.arguments:
            name = argument.name
            buffer = self._calls[number].buffers.get(name)
            if buffer is None:
                continue
            if argument.zeroed:
                buffer.clear()
                if name not in self._zeros:
                    self._zeros[name] = buffer.snapshot()
            elif argument.role is Role.OUT:
                self._poisons[name] = buffer.poison(self._poisons.get(name), dtype=argument.dtype)

    def clear_inputs(self, number: int) -> None:
        """Zero the inputs of a set, and wait until that is done."""
        for argument in inputs(self._problem):
            self._calls[number].buffers[argument.name].clear()
        self._memory.synchronize()

    def landings(self, number: int) -> list[tuple[Buffer, PrivateBytes]]:
        """The arrays of an armed set, each with the contents to copy into it: inputs, poison or zeros."""
        buffers, contents = self._calls[number].buffers, self._contents[self._held[number]]
        unwritten = {**self._poisons, **self._zeros}
        given = [(buffers[argument.name], contents[argument.name]) for argument in inputs(self._problem)]
        return [*((buffers[name], held) for name, held in unwritten.items()), *given]

    def outputs(self, number: int) -> list[tuple[Buffer, PrivateBytes]]:
        """The outputs of a set, each with the memory for its copy."""
        buffers = self._calls[number].buffers
        return [(buffers[name], copy) for name, copy in self._copies.items()]

    def verify(self, number: int) -> InspectionResult | None:
        """Check a set after a call: guard bands, inputs, all elements of the copies, and the live outputs."""
        finding = inspect(
            self._problem,
            self._case,
            self._checking,
            self._calls[number],
            self._contents[self._held[number]],
            snapshots=self._copies,
            poisons=self._poisons,
        )
        if finding.verdict is Verdict.ACCEPTED:
            return None
        return replace(finding, message=_TIMED + finding.message)

    def close(self) -> None:
        """Scrub and release the arrays."""
        for call in self._calls:
            call.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def how_many_sets(
    problem: Problem, case: Case, policy: Policy, *, free_bytes: int, limit_bytes: int = 0
) -> int:
    """Return how many sets to time `case` with: `policy.placements`, or fewer if memory is scarce.

    At least one.

    `limit_bytes` is the program's memory limit, 0 for none. MPS counts the arrays towards this limit, so the
    sets may occupy at most half of it.

    The descriptors of all sets must fit into one message, with those of the page and the flags.
    """
    arrays = sum(argument.role is not Role.SCALAR for argument in problem.arguments)
    share_bytes = int(policy.placements_share * free_bytes)
    if limit_bytes:
        share_bytes = min(share_bytes, limit_bytes // 2)
    placed = share_bytes // footprint_of(problem, case)
    return max(1, min(policy.placements, placed, (MAX_DESCRIPTORS - 2) // max(1, arrays)))


def footprint_of(problem: Problem, case: Case) -> int:
    """Return the bytes that the arrays of one set of `case` occupy on a GPU."""
    arrays = [argument for argument in problem.arguments if argument.role is not Role.SCALAR]
    return sum(_footprint_bytes(bytes_of(argument, case.sizes)) for argument in arrays)


def copies_of(problem: Problem, case: Case) -> int:
    """Return the bytes for poison and output copies of `case` on a GPU, in total for all sets."""
    return 2 * sum(_footprint_bytes(bytes_of(argument, case.sizes)) for argument in outputs(problem))


def _footprint_bytes(size_bytes: int) -> int:
    """Return the bytes of an array with its guard bands on a GPU."""
    return (-(-size_bytes // _GRANULE_BYTES) + 1) * _GRANULE_BYTES
