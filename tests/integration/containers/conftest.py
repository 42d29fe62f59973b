"""The backends of the sandbox tests, for what only containers do."""

from tests.integration.sandbox.conftest import containers

__all__ = ["containers"]
