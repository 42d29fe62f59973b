"""The marks of a web server that is about to stop.

A draining server still serves, but wants no new requests. Then it is stopping: it completes the running
requests and ends its event streams, which clients resume at another server.

The marks are files in the runtime directory. All processes of this server must see them, and no other server
may.
"""

from pathlib import Path

from web.config import Config


def mark(config: Config) -> Path:
    """Return the path of the mark of a draining server.

    Unlike other files in the runtime directory, it belongs to one server.
    """
    return config.runtime_dir / f"draining-{config.port}"


def stopping_mark(config: Config) -> Path:
    """Return the path of the mark of a stopping server."""
    return config.runtime_dir / f"stopping-{config.port}"


def draining(config: Config) -> bool:
    """Return whether this server is about to stop."""
    return mark(config).exists()


def stopping(config: Config) -> bool:
    """Return whether this server has begun to stop."""
    return stopping_mark(config).exists()
