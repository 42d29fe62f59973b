"""File descriptors of the judging process: waiting for one, and how many it may have.

A judgement holds some thirty descriptors: pipes, sockets and shared memory of its sandboxes. A host with
four GPUs that runs eight checks on each needs more than 1,024, the usual limit, and all that `select` takes.
"""

import math
import resource
import select

_READY = select.POLLIN | select.POLLHUP | select.POLLERR


def readable(descriptor: int, timeout_s: float) -> bool:
    """Wait until `descriptor` can be read without blocking, or is at its end; False if the time is over."""
    poll = select.poll()
    poll.register(descriptor, _READY)
    return bool(poll.poll(math.ceil(max(0.0, timeout_s) * 1000)))


def raise_limit() -> None:
    """Permit this process as many descriptors as its hard limit. Sandboxes have limits of their own."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
