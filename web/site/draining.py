"""The mark of a web server that is about to stop: it still serves, but asks for no new requests.

It is a file in the runtime directory, because all processes of this server must see it and no other server
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
