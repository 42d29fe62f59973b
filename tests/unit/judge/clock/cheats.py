"""Programs that want a better time than they have earned. `call_us` is what their work honestly takes."""

from collections.abc import Sequence

from tests.unit.judge.clock.simulation import NULL_US, Program, World


class Overlapping(Program):
    """Runs `ways` calls of a batch at the same time."""

    def __init__(self, call_us: float, ways: float) -> None:
        super().__init__(call_us)
        self.ways = ways

    def work(self, world: World, numbers: Sequence[int]) -> float:
        at = world.now_ns + NULL_US * 1000
        ways = 1 if len(numbers) == 1 else self.ways
        for number in numbers:
            at += self.one_us(world) / ways * 1000
            world.pending.append((at, number, world.inputs[number]))
        return at


class OncePerSet(Program):
    """Computes each set of a batch once, all at the start, and leaves its other calls undone."""

    def work(self, world: World, numbers: Sequence[int]) -> float:
        return super().work(world, list(dict.fromkeys(numbers)))


class SkippingAfterTheFirst(Program):
    """Computes the first call of a batch only."""

    def work(self, world: World, numbers: Sequence[int]) -> float:
        return super().work(world, numbers[:1])


class EarlyDone(Program):
    """Says done `early_us` before its work is done."""

    def __init__(self, call_us: float, early_us: float) -> None:
        super().__init__(call_us)
        self.early_us = early_us

    def work(self, world: World, numbers: Sequence[int]) -> float:
        at = super().work(world, numbers) - self.early_us * 1000
        return max(at, world.now_ns)


class ReplayingByPointer(Program):
    """Keeps the answer of each set, and gives it again."""

    def __init__(self, call_us: float) -> None:
        super().__init__(call_us)
        self.kept: dict[int, int] = {}

    def work(self, world: World, numbers: Sequence[int]) -> float:
        if not all(number in self.kept for number in numbers):
            self.kept |= {number: world.inputs[number] for number in numbers}
            return super().work(world, numbers)
        at = world.now_ns + NULL_US * 1000
        for number in numbers:
            at += 1000
            world.pending.append((at, number, self.kept[number]))
        return at


class ReplayingByContent(Program):
    """Keeps the answer of every content it has seen; finding one again takes `share` of the work."""

    def __init__(self, call_us: float, share: float) -> None:
        super().__init__(call_us)
        self.share = share
        self.kept: set[int] = set()

    def work(self, world: World, numbers: Sequence[int]) -> float:
        at = world.now_ns + NULL_US * 1000
        for number in numbers:
            content = world.inputs[number]
            at += self.one_us(world) * (self.share if content in self.kept else 1) * 1000
            self.kept.add(content)
            world.pending.append((at, number, content))
        return at


class ComputingAhead(Program):
    """Watches the inputs, computes as they land, and answers go at once.

    With `openly` it looks now and then and writes the outputs when it has them; else a kernel that never
    ends watches, and keeps the outputs in memory of its own until go.
    """

    def __init__(self, call_us: float, *, openly: bool) -> None:
        super().__init__(call_us)
        self.openly = openly
        self.ready_ns: dict[int, float] = {}

    def landed(self, world: World, number: int) -> None:
        self.ready_ns[number] = world.now_ns + self.one_us(world) * 1000
        if self.openly:
            world.pending.append((self.ready_ns[number], number, world.inputs[number]))
        else:
            world.busy_until_ns = float("inf")

    def work(self, world: World, numbers: Sequence[int]) -> float:
        at = max(world.now_ns, *(self.ready_ns[number] for number in numbers)) + NULL_US * 1000
        for number in numbers:
            world.pending.append((at, number, world.inputs[number]))
        return at


class WritingLate(Program):
    """Changes an output when its calls are over."""

    def work(self, world: World, numbers: Sequence[int]) -> float:
        at = super().work(world, numbers)
        world.pending.append((at + 60_000, numbers[-1], 12345))
        return at
