"""The mark of a web server that is about to stop: it serves, and asks that nothing new be sent to it.

A file in the runtime directory, because every process of one server has to know, and no other server may.
"""

from pathlib import Path

from web.config import Config


def mark(config: Config) -> Path:
    """Where the mark is made. Unlike other things in the runtime directory it belongs to one server."""
    return config.runtime_dir / f"draining-{config.port}"


def draining(config: Config) -> bool:
    """Return whether this server is about to stop."""
    return mark(config).exists()
