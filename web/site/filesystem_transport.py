"""Celery's filesystem transport without its races: a file is either complete or absent.

The original transport creates a file and then writes it. A worker that polls in between gets an empty
message, fails to parse it and stops. The table of queues has the same race. This transport renames complete
files into place and has no table: an exchange leads to the queue with its name.
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
