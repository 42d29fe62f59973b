"""The mark of a web server that is about to stop. The server still serves, but wants no new requests.

The mark is a file in the runtime directory. All processes of this server must see it, and no other server
may.
"""

from pathlib import Path

from web.config import Config


def mark(config: Config) -> Path:
    """Return the path of the mark. Unlike other files in the runtime directory it belongs to one server."""
    return config.runtime_dir / f"draining-{config.port}"


def draining(config: Config) -> bool:
    """Return whether this server is about to stop."""
    return mark(config).exists()
