"""The argument sets of a timed session, in any memory of the referee's, and how many of them there are.

Theory of operation. Every set has buffers of its own, with guard bands. The sets together are larger than
the GPU's L2 cache, so that a call finds its arguments in device memory, as a caller with fresh data would.
Contents are chosen for a set whenever it is armed: an answer that was kept by pointer is an answer to
another question. Before a call the memory settles, so that no call pays for writing back what the referee
wrote into its set. An argument that is read and written is used up by a call; with one of those a batch
calls each set once.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Self

from judge.call import Call
from judge.checking import ByTolerance, Checking
from judge.clock.contracts import Policy
from judge.drawn import outputs
from judge.inspector import Finding, inspect
from judge.memory import Contents, Memory
from judge.sizes import bytes_of
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Role, Verdict
from sandbox.wire import MAX_DESCRIPTORS, WireArgument

_GRANULE_BYTES = 2 * 2**20  # of device memory: what an allocation is rounded up to
_LEAST_SETS = 2
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
        contents: Sequence[Mapping[str, Contents]],
        count: int,
        checking: Checking | None = None,
    ) -> None:
        self._checking = checking or ByTolerance(problem, memory)
        self._problem, self._case, self._memory, self._contents = problem, case, memory, contents
        self._calls: list[Call] = []
        self._poisons: list[dict[str, Contents]] = []
        self._snapshots: list[dict[str, Contents]] = []
        self._held = [0] * count
        try:
            for _ in range(count):
                self._add()
        except BaseException:
            self.close()
            raise

    def _add(self) -> None:
        call = Call(self._memory)
        self._calls.append(call)
        self._poisons.append({})
        self._snapshots.append({})
        for argument in self._problem.arguments:
            call.add(argument, self._case.sizes)

    @property
    def count(self) -> int:
        """How many sets."""
        return len(self._calls)

    @property
    def contents(self) -> int:
        """How many different contents."""
        return len(self._contents)

    @property
    def output_bytes(self) -> int:
        """Bytes of the outputs of one set."""
        return sum(bytes_of(argument, self._case.sizes) for argument in outputs(self._problem))

    @property
    def once(self) -> bool:
        """Whether a call uses up what its set was armed with."""
        return any(argument.role is Role.INOUT for argument in self._problem.arguments)

    @property
    def arguments(self) -> tuple[WireArgument, ...]:
        """What goes into the request: the arguments of the first set."""
        return self._calls[0].arguments

    @property
    def descriptors(self) -> list[int]:
        """The arrays' descriptors, one set after the other, as they follow the page's."""
        return [descriptor for call in self._calls for descriptor in call.descriptors]

    def hide(self, numbers: Sequence[int]) -> None:
        """Poison every array of these sets."""
        for number in numbers:
            for name, buffer in self._calls[number].buffers.items():
                if self._argument(name).role is Role.OUT:
                    self._poison(number, name)
                else:
                    buffer.poison()
        self._memory.synchronize()

    def complete(self, number: int, content: int) -> None:
        """Put the inputs of content number `content` into a hidden set: it is ready for a call."""
        self._fill(number, content)
        self.settle()
        self._memory.synchronize()

    def arm(self, numbers: Sequence[int], contents: Sequence[int]) -> None:
        """Poison the outputs of these sets and put in the inputs, each set its own content."""
        for number, content in zip(numbers, contents, strict=True):
            for argument in self._problem.arguments:
                if argument.role is Role.OUT:
                    self._poison(number, argument.name)
            self._fill(number, content)
        self.settle()
        self._memory.synchronize()

    def settle(self) -> None:
        """Leave nothing of ours in the cache that the next call would have to write back."""
        self._memory.settle()

    def untouched(self, number: int) -> bool:
        """Whether the outputs are as `arm` or `complete` left them."""
        buffers, contents = self._calls[number].buffers, self._contents[self._held[number]]
        poisons = self._poisons[number]
        return all(
            buffers[argument.name].holds(
                poisons[argument.name] if argument.role is Role.OUT else contents[argument.name]
            )
            for argument in outputs(self._problem)
        )

    def snapshot(self, numbers: Sequence[int]) -> None:
        """Take private copies of the outputs, in this order, to be verified."""
        for number in numbers:
            kept = self._snapshots[number]
            for argument in outputs(self._problem):
                buffer = self._calls[number].buffers[argument.name]
                kept[argument.name] = buffer.snapshot(kept.get(argument.name))
        self._memory.synchronize()

    def verify(self, number: int) -> Finding | None:
        """Judge the snapshot of a set: guard bands, inputs, every element, and the live outputs again."""
        finding = inspect(
            self._problem,
            self._case,
            self._checking,
            self._calls[number],
            self._contents[self._held[number]],
            snapshots=self._snapshots[number],
            poisons=self._poisons[number],
        )
        if finding.verdict is Verdict.ACCEPTED:
            return None
        return Finding(
            finding.verdict,
            _TIMED + finding.message,
            finding.checked,
            finding.mismatched,
            finding.mismatches,
        )

    def close(self) -> None:
        """Scrub and release the arrays."""
        for call in self._calls:
            call.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _poison(self, number: int, name: str) -> None:
        dtype = self._argument(name).dtype
        self._poisons[number][name] = self._calls[number].buffers[name].poison(dtype=dtype)

    def _fill(self, number: int, content: int) -> None:
        self._held[number] = content
        for argument in self._problem.arguments:
            if argument.role in {Role.IN, Role.INOUT}:
                self._calls[number].buffers[argument.name].fill(self._contents[content][argument.name])

    def _argument(self, name: str) -> Argument:
        return next(argument for argument in self._problem.arguments if argument.name == name)


def how_many_sets(problem: Problem, case: Case, policy: Policy, *, l2_bytes: int, free_bytes: int) -> int:
    """How many sets of `case` to time with: enough to be `policy.rotation` times the L2 cache, at least two.

    `l2_bytes` is 0 on a host. Where a part of the memory holds more, there are `policy.placements`. As many
    descriptors as fit go with one message, and the sets with poison and snapshots must fit into `free_bytes`.
    """
    arrays = [argument for argument in problem.arguments if argument.role is not Role.SCALAR]
    sizes = [bytes_of(argument, case.sizes) for argument in arrays]
    wanted = math.ceil(policy.rotation * l2_bytes / max(1, sum(sizes)))
    footprint = footprint_of(problem, case)
    most = min(policy.max_sets, (MAX_DESCRIPTORS - 1) // max(1, len(arrays)), free_bytes // footprint)
    placed = min(policy.placements, int(policy.placements_share * free_bytes) // footprint)
    return max(_LEAST_SETS, min(max(wanted, placed), most))


def footprint_of(problem: Problem, case: Case) -> int:
    """What one set of `case` takes on a GPU: its arrays, and poison and snapshot of each output."""
    arrays = [argument for argument in problem.arguments if argument.role is not Role.SCALAR]
    written = outputs(problem)
    return sum(_footprint_bytes(bytes_of(argument, case.sizes)) for argument in (*arrays, *written, *written))


def _footprint_bytes(size_bytes: int) -> int:
    """What an array with its guard bands takes on a GPU."""
    return (-(-size_bytes // _GRANULE_BYTES) + 1) * _GRANULE_BYTES
