"""Copies staff's orders about this host's GPUs to marks that its processes read.

Theory of operation. An order is a row in the database. GPU processes never wait for the database; they read a
mark in the runtime directory before every use. The node service and every worker copy the orders to the marks
with each report. One of them is enough, and several do no harm. While the database does not answer, the marks
do not change.
"""

from collections.abc import Mapping

import structlog

from sandbox.gpu.health import Quarantine

log = structlog.get_logger(__name__)


def obey(quarantine: Quarantine, held: Mapping[str, str]) -> None:
    """Hold the GPUs of `held`, which maps uuids to reasons, and release all others that are held."""
    marked = quarantine.held()
    for uuid, reason in held.items():
        quarantine.hold(uuid, reason)
        if uuid not in marked:
            log.warning("gpu_held", gpu_uuid=uuid, reason=reason)
    for uuid in marked.keys() - held.keys():
        quarantine.release(uuid)
        log.info("gpu_released", gpu_uuid=uuid)
