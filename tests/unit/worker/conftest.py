"""Fixtures that tests of the node service share with those of GPU sharing."""

from tests.unit.sandbox.gpu.conftest import control_program, short_path

__all__ = ["control_program", "short_path"]
