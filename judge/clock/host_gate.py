"""A gate for hosts without a GPU. It serves to test whole sessions on such hosts; its times never rank."""

from collections.abc import Sequence

from judge.clock.contracts import CallObservation, Ordering
from judge.runner.memory import Buffer, PrivateBytes

_US = 1000


class HostGate:
    """`judge.clock.contracts.CallGate` over host memory. It takes times from the host's clock."""

    descriptor: int | None = None

    def call(
        self,
        orders: Ordering,
        landings: Sequence[tuple[Buffer, PrivateBytes]],
        outputs: Sequence[tuple[Buffer, PrivateBytes]],
        *,
        queued: bool,
        watch_first: bool,
        timeout_s: float,
    ) -> CallObservation:
        """Let the call of the last order through, and copy its outputs."""
        del queued, watch_first
        for buffer, contents in landings:
            buffer.fill(contents)
        opened = orders.now()
        orders.open()
        orders.await_done(timeout_s=timeout_s)
        took_us = (orders.now() - opened) / _US
        for buffer, copy in outputs:
            buffer.snapshot(copy)
        return CallObservation(alone=True, last_us=took_us, done_us=took_us)

    def close(self) -> None:
        """Do nothing: this gate owns no resources."""
