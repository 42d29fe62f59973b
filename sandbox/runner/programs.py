"""The programs under test of a problem, which the author's code runs (`problems.under_test`).

Each is a Python module of the author. It is loaded for its first case and stays loaded.
"""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from sandbox.runner.session import run_module

SIZE = "program"
_KEYWORD = "program"


class Programs:
    """The sources of the programs by their number, from 1; none for problems that have no such programs."""

    def __init__(self, sources: Sequence[str] = ()) -> None:
        self._sources = tuple(sources)
        self._loaded: dict[int, ModuleType] = {}

    def __bool__(self) -> bool:
        return bool(self._sources)

    def keywords(self, size: dict[str, int]) -> Mapping[str, Any]:
        """Return the keyword argument with the program of a case, and remove its number from `size`.

        Raises whatever the program raises when it is loaded.
        """
        if not self._sources:
            return {}
        number = size.pop(SIZE)
        if number not in self._loaded:
            name = f"program_{number}"
            code = compile(self._sources[number - 1], f"{name}.py", "exec", dont_inherit=True)
            self._loaded[number] = run_module(code, name)
        return {_KEYWORD: self._loaded[number]}
