"""The backends of the sandbox tests, for tests that concern only containers."""

from tests.integration.sandbox.conftest import containers

__all__ = ["containers"]
