"""The tools of the CUDA toolkit that can watch a program."""

from enum import StrEnum


class Tool(StrEnum):
    """A tool of the CUDA toolkit that watches a program: out-of-bounds accesses, races, or its profile."""

    MEMCHECK = "memcheck"
    RACECHECK = "racecheck"
    PROFILER = "profiler"

    @property
    def program(self) -> str:
        """The file name of the tool's program."""
        return "ncu" if self is Tool.PROFILER else "compute-sanitizer"
