"""Maps `.loc` to file and line of the user's source.

Inlined code of a toolkit header belongs to the line of the user's source that called it, at any depth. If the
code was not inlined, it belongs to the line that calls its function, if there is only one (`called_from`).

Source: PTX ISA 9.0, section 11.5.4 (.loc) and 11.5.3 (.file).
"""

from collections.abc import Mapping

from .syntax import SourceLocation

_Place = tuple[int, int, int]
LONGEST_CHAIN = 64
SUBMISSION = "solution.cu"
_ORDERED_CALLS = 2  # the compiler repeats no further callers, so deeper chains may name the wrong call


class Locations:
    """The table of locations of a module; index 0 means unknown."""

    def __init__(self, files: dict[int, str]) -> None:
        self._names = {number: path.rpartition("/")[2] for number, path in files.items()}
        self._users = {number for number, path in files.items() if "include" not in path.split("/")}
        self._indices: dict[tuple[str, int], int] = {}
        self._chains: dict[_Place, tuple[_Place, ...]] = {}  # from the outermost call to a place
        self._functions: dict[int, set[str]] = {}  # in which code of headers is, by index
        self._function = ""
        self.table: list[tuple[str, int]] = [("?", 0)]
        self.order: tuple[int, ...] = ()
        self.file = ""
        self.files: frozenset[str] = frozenset()

    def enter_function(self, name: str) -> None:
        """Inlining is described per function."""
        self._function = name
        self._chains.clear()
        self.order = ()
        self.file = ""
        self.files = frozenset()

    def user_line(self, index: int) -> int:
        """The line of the submission at `index`, 0 where it is another file's."""
        name, line = self.table[index]
        return line if name == SUBMISSION else 0

    def index(self, location: SourceLocation, previous: int) -> int:
        """The index for a `.loc`; line 0 means that the compiler does not know: it keeps the previous one.

        Afterwards, `order` has the lines of the submission that led there, or nothing if that is uncertain.
        `file` has the name of the file of the code itself, which can be a header. `files` also has those of
        the functions into which this code was inlined.
        """
        self.file = self._names.get(location.file, "")
        place = (location.file, location.line, location.column)
        caller = location.inlined_at
        if caller is not None:
            before = self._chains.get(caller, (caller,))
            self._chains[place] = (*before, place) if len(before) < LONGEST_CHAIN else before
        chain = self._chains.get(place, (place,))
        self.files = frozenset(self._names.get(one[0], "") for one in chain)
        known = next((one for one in reversed(chain) if one[0] in self._users), chain[0])
        if not known[1]:
            return previous
        certain = len(chain) <= _ORDERED_CALLS and all(one[0] in self._users for one in chain)
        self.order = tuple(one[1] for one in chain) if certain else ()
        key = (self._names.get(known[0], "?"), known[1])
        if key not in self._indices:
            self._indices[key] = len(self.table)
            self.table.append(key)
        found = self._indices[key]
        if known[0] not in self._users:
            self._functions.setdefault(found, set()).add(self._function)
        return found

    def called_from(self, calls: Mapping[str, set[tuple[str, int]]]) -> list[tuple[str, int]]:
        """The table, in which code of headers has the line that calls its function, if there is only one.

        `calls` has, for each function, the functions and locations that call it.
        """
        table = list(self.table)
        for index, functions in self._functions.items():
            lines = self._calling_lines(functions, calls)
            if len(lines) == 1:
                table[index] = (SUBMISSION, lines.pop())
        return table

    def _calling_lines(self, functions: set[str], calls: Mapping[str, set[tuple[str, int]]]) -> set[int]:
        """The lines of the submission that call `functions`, directly or through other functions."""
        lines: set[int] = set()
        seen: set[str] = set()
        waiting = list(functions)
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for caller, location in calls.get(name, ()):
                if line := self.user_line(location):
                    lines.add(line)
                else:
                    waiting.append(caller)
        return lines
