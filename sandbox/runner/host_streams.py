"""Streams and events of `torch.cuda` on a machine without a GPU: a call returns when its work is done."""

import contextlib
from collections.abc import Mapping
from typing import Any


class HostEvent:
    """Stands in for `torch.cuda.Event`. No time passes between two events."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def record(self, stream: object = None) -> None:
        """Do nothing."""

    def wait(self, stream: object = None) -> None:
        """Do nothing."""

    def synchronize(self) -> None:
        """Do nothing."""

    def query(self) -> bool:
        """Return that all work is done."""
        return True

    def elapsed_time(self, _: "HostEvent") -> float:
        """Return no milliseconds."""
        return 0.0


class HostStream:
    """Stands in for `torch.cuda.Stream`."""

    cuda_stream = 0

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def synchronize(self) -> None:
        """Do nothing."""

    def wait_stream(self, stream: object) -> None:
        """Do nothing."""

    def wait_event(self, event: object) -> None:
        """Do nothing."""

    def record_event(self, event: HostEvent | None = None) -> HostEvent:
        """Return the event."""
        return event or HostEvent()

    def query(self) -> bool:
        """Return that all work is done."""
        return True


def _current(_device: object = None) -> HostStream:
    return HostStream()


REPLACED: Mapping[str, Any] = {
    "Event": HostEvent,
    "Stream": HostStream,
    "stream": contextlib.nullcontext,
    "current_stream": _current,
    "default_stream": _current,
}
