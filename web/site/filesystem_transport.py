"""Celery's filesystem transport without its races: here a file appears complete or not at all.

The original creates a file and then writes it. A worker that polls in between takes an empty message, fails
to parse it and stops. The table of queues has the same race. Here messages are renamed into place, and there
is no table: an exchange leads to the queue of its own name.
"""

import time
import uuid
from pathlib import Path
from typing import Any

from kombu.transport import filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """Writes to a temporary file, then renames it."""

    def get_table(self, exchange: str) -> list[filesystem.exchange_queue_t]:  # type: ignore[override]  # as kombu's has it
        """Return the one queue of `exchange`."""
        return [filesystem.exchange_queue_t(exchange, "", exchange)]

    def _queue_bind(self, *_: object) -> None:
        """Do nothing: there is no table of queues."""

    def _put(self, queue: str, payload: dict[str, Any], **_: Any) -> None:  # type: ignore[override]  # as above
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        aside = folder / f"{name}.part"
        aside.write_bytes(str_to_bytes(dumps(payload)))
        aside.rename(folder / name)


class Transport(filesystem.Transport):
    """The transport with such channels."""

    Channel = Channel
