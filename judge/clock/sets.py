"""The argument sets of a timed session, in any memory of the referee's, and how many of them there are.

Theory of operation. Every set has buffers of its own, with guard bands, and lies somewhere else. Contents
are chosen for a set whenever it is armed: an answer that was kept by pointer is an answer to another
question. Calls follow each other one by one, so one copy of the outputs and one of their poison serve all
sets.
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

_GRANULE_BYTES = 2 * 2**20  # of device memory: what an allocation is rounded up to
_TIMED = "In a timed repetition: "


class MemorySets:
    """`judge.clock.contracts.TimedSets` in `memory`. Owns the sets' buffers; close it.

    `contents` are those of drawn sets of the case, which stay open for as long as this is used.
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
    def arguments(self) -> tuple[WireArgument, ...]:
        """The arguments of the first set, as the request encodes them."""
        return self._calls[0].arguments

    @property
    def descriptors(self) -> list[int]:
        """The arrays' descriptors, one set after the other."""
        return [descriptor for call in self._calls for descriptor in call.descriptors]

    def arm(self, number: int, content: int) -> None:
        """Poison or clear the outputs of a set, which will be called with that content."""
        self._held[number] = content
        for argument in self._problem.arguments:
            if argument.zeroed:
                self._calls[number].buffers[argument.name].clear()
            elif argument.role is Role.OUT:
                name, kept = argument.name, self._poisons.get(argument.name)
                self._poisons[name] = self._calls[number].buffers[name].poison(kept, dtype=argument.dtype)

    def clear_inputs(self, number: int) -> None:
        """Zero the inputs of a set. Returns when that is done."""
        for argument in inputs(self._problem):
            self._calls[number].buffers[argument.name].clear()
        self._memory.synchronize()

    def landings(self, number: int) -> list[tuple[Buffer, PrivateBytes]]:
        """The inputs of an armed set, and what is to land in them."""
        buffers, contents = self._calls[number].buffers, self._contents[self._held[number]]
        return [(buffers[argument.name], contents[argument.name]) for argument in inputs(self._problem)]

    def outputs(self, number: int) -> list[tuple[Buffer, PrivateBytes]]:
        """The outputs of a set, and where their copies go."""
        buffers = self._calls[number].buffers
        return [(buffers[name], copy) for name, copy in self._copies.items()]

    def verify(self, number: int) -> InspectionResult | None:
        """Judge the copies of a set: guard bands, inputs, every element, and the live outputs again."""
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
    """Return the number of sets to time `case` with: `policy.placements` if a part of the memory holds them.

    `limit_bytes` is the program's memory limit, 0 for none. MPS counts the arrays that it is given, so
    they take half of that at most; one set it always gets.

    One message carries as many descriptors as fit, in addition to those of the page and the flags.
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
