"""`.loc` → file and line in what the user wrote.

A line of a toolkit header that was inlined counts as the line that called it, however deep.

Source: PTX ISA 9.0, section 11.5.4 (.loc) and 11.5.3 (.file).
"""

from .syntax import SourceLocation

_Place = tuple[int, int, int]
LONGEST_CHAIN = 64
SUBMISSION = "solution.cu"


class Locations:
    """The table of locations of a module; index 0 means unknown."""

    def __init__(self, files: dict[int, str]) -> None:
        self._names = {number: path.rpartition("/")[2] for number, path in files.items()}
        self._users = {number for number, path in files.items() if "include" not in path.split("/")}
        self._indices: dict[tuple[str, int], int] = {}
        self._callers: dict[_Place, _Place] = {}
        self.table: list[tuple[str, int]] = [("?", 0)]

    def enter_function(self) -> None:
        """Inlining is described per function."""
        self._callers.clear()

    def user_line(self, index: int) -> int:
        """The line of the submission at `index`, 0 where it is another file's."""
        name, line = self.table[index]
        return line if name == SUBMISSION else 0

    def index(self, location: SourceLocation, previous: int) -> int:
        """The index for a `.loc`; line 0 means that the compiler does not know: it keeps the previous one."""
        place = (location.file, location.line, location.column)
        if location.inlined_at is not None:
            self._callers[place] = location.inlined_at
        for _ in range(LONGEST_CHAIN):
            if place[0] in self._users or place not in self._callers:
                break
            place = self._callers[place]
        if not place[1]:
            return previous
        key = (self._names.get(place[0], "?"), place[1])
        if key not in self._indices:
            self._indices[key] = len(self.table)
            self.table.append(key)
        return self._indices[key]
