"""Programs that try to get an undeserved time. `call_us` is the honest time of their work."""

from tests.unit.judge.clock.simulation import DONE_US, Program, World


class EarlyDone(Program):
    """Reports done `early_us` before its work is complete."""

    def __init__(self, call_us: float, early_us: float) -> None:
        super().__init__(call_us)
        self.early_us = early_us

    def work(self, world: World, number: int) -> float:
        return max(super().work(world, number) - DONE_US - self.early_us, world.now_us)


class VerifyingAfterwards(Program):
    """Writes its result after a third of the work, and uses the rest of the time to verify it."""

    def work(self, world: World, number: int) -> float:
        took_us = self.takes_us(world)
        world.pending.append((world.now_us + took_us / 3, number, world.inputs[number]))
        return world.now_us + took_us + DONE_US


class SleepingWhenLucky(Program):
    """Lets its host sleep as soon as many calls were fast, so that a session with a time limit would end."""

    def __init__(self, call_us: float) -> None:
        super().__init__(call_us, noise=0.02)
        self.calls: list[float] = []

    def takes_us(self, world: World) -> float:
        took_us = super().takes_us(world)
        self.calls.append(took_us)
        if len(self.calls) > 24 and sorted(self.calls)[len(self.calls) // 5] < self.call_us * 1.005:
            world.pass_us(1_000_000)
        return took_us


class SlowInTheWarmUp(Program):
    """Takes long in the warm-up, so that the clock expects so few calls that luck decides."""

    def __init__(self, call_us: float, warm_us: float, warm_calls: int) -> None:
        super().__init__(call_us, noise=0.02)
        self.warm_us, self.warm_calls = warm_us, warm_calls

    def takes_us(self, world: World) -> float:
        self.warm_calls -= 1
        return self.warm_us if self.warm_calls >= 0 else super().takes_us(world)


class SlowHost(Program):
    """Keeps the GPU by a host that sleeps in each call after the warm-up."""

    def __init__(self, call_us: float) -> None:
        super().__init__(call_us, noise=0.02)
        self.calls = 0

    def work(self, world: World, number: int) -> float:
        self.calls += 1
        if self.calls > 4:
            world.pass_us(2_000_000)
        return super().work(world, number)


class LeftUndone(Program):
    """Skips every second call, and reports done after a while."""

    def __init__(self, call_us: float) -> None:
        super().__init__(call_us)
        self.calls = 0

    def work(self, world: World, number: int) -> float:
        self.calls += 1
        return super().work(world, number) if self.calls % 2 else world.now_us + self.call_us


class ReplayingByPointer(Program):
    """Stores the answer of each set, and returns it again."""

    def __init__(self, call_us: float) -> None:
        super().__init__(call_us)
        self.kept: dict[int, int] = {}

    def work(self, world: World, number: int) -> float:
        if number not in self.kept:
            self.kept[number] = world.inputs[number]
            return super().work(world, number)
        world.pending.append((world.now_us + 1, number, self.kept[number]))
        return world.now_us + 4


class ReplayingByContent(Program):
    """Stores the answer for all contents. Finding one again takes a thousandth of the work."""

    def __init__(self, call_us: float) -> None:
        super().__init__(call_us)
        self.kept: set[int] = set()

    def work(self, world: World, number: int) -> float:
        content = world.inputs[number]
        share = 0.001 if content in self.kept else 1.0
        self.kept.add(content)
        at = world.now_us + self.takes_us(world) * share
        world.pending.append((at, number, content))
        return at + DONE_US


class Lingering(Program):
    """Keeps an endless kernel on the GPU that computes while inputs land."""

    def queue(self, world: World, number: int) -> None:
        world.busy_until_us = float("inf")


class OnAStreamOfItsOwn(Program):
    """Honest, but queued calls do not wait: they compute with the data that is there."""

    def __init__(self, call_us: float) -> None:
        super().__init__(call_us)
        self.ran: set[int] = set()

    def queue(self, world: World, number: int) -> None:
        at = world.now_us + self.takes_us(world)
        world.pending.append((at, number, world.inputs[number]))
        self.ran.add(number)

    def work(self, world: World, number: int) -> float:
        if number in self.ran:
            self.ran.discard(number)
            return world.now_us + 4
        return super().work(world, number)


class DelayedOnAStreamOfItsOwn(OnAStreamOfItsOwn):
    """The same, but the first `delayed` calls wait for the whole device, and so for their inputs."""

    def __init__(self, call_us: float, delayed: int = 1) -> None:
        super().__init__(call_us)
        self.delayed = delayed

    def queue(self, world: World, number: int) -> None:
        if self.delayed:
            self.delayed -= 1
        else:
            super().queue(world, number)


class WritingLate(Program):
    """Changes an output after its call is over and the output is copied."""

    def work(self, world: World, number: int) -> float:
        at = super().work(world, number)
        world.pending.append((at + 60, number, 12345))
        return at


class Endless(Program):
    """Never reports done."""

    def work(self, world: World, number: int) -> float:
        return float("inf")
