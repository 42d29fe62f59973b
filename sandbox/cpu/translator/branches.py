"""Selects the branches that a counting run counts: branches at which a diverging warp is expensive.

A diverging warp executes one side of a branch after the other, until both sides meet. A branch is counted if
both sides compute, or if one side does and the condition compares indices for equality, as in `i % 2 == 0`.
Bounds checks compare for order, and branches on data are usually intended, so these are not counted. Loops
are not counted either. For problems that bound the share of divergent branches, a branch on data with one
computing side is also counted, but no note is made of it. An uncounted branch has no cost. A counted branch
costs a comparison in runs that do not count.
"""

from collections.abc import Iterable, Iterator

from .definitions import registers_in
from .syntax import Function, Instruction, Label, Name, Scope, Statement, Targets

DATA_BRANCHES = "divergent_branches"  # the counter for which branches on data are counted
LEAST_OF_BOTH = 10  # instructions of each of two sides; a GPU executes shorter ones without branching
LEAST_OF_ONE = 4  # where the other side is empty
# The same, if the condition depends on data. Storing an element at a computed place takes fewer.
LEAST_ON_DATA = 12
MOST_BLOCKS = 2000  # of a function; larger ones take too long
_ENDS = ("ret", "exit", "trap", "brkpt")
_WRITES_NOTHING = ("st", "red", "bra", "brx", "bar", "barrier", "membar", "fence", "prefetch", *_ENDS)
_LOADS = ("ld", "ldu", "atom", "tex", "tld4", "suld", "shfl", "vote", "match", "redux", "activemask", "call")


def counted_branches(function: Function, *, with_data: bool = False) -> dict[int, bool]:
    """Return the indices of the counted branches among the instructions of `function`, in text order.

    The values say whether a note may be made of the branch. With `with_data`, branches on data are counted
    too.
    """
    flow = Flow(function)
    if not 1 < len(flow.starts) <= MOST_BLOCKS:
        return {}
    uses = _Uses(function, flow.instructions)
    meeting = flow.meeting_points()
    found: dict[int, bool] = {}
    for block, end in enumerate(flow.ends):
        place = end - 1
        branch = flow.instructions[place]
        if branch.name != "bra" or branch.guard is None or len(flow.following[block]) != 2:
            continue
        sides = sorted(flow.instructions_until(side, meeting[block], block) for side in flow.following[block])
        one = sides[0] == 0 and sides[1] >= LEAST_OF_ONE
        if sides[0] >= LEAST_OF_BOTH or (one and uses.compares_indices(branch.guard.register)):
            found[place] = True
        elif with_data and sides[0] == 0 and uses.depends_on_data(branch.guard.register):
            longest = (flow.cost_until(side, meeting[block], block) for side in flow.following[block])
            if max(longest) >= LEAST_ON_DATA:
                found[place] = False
    return found


class Flow:
    """The basic blocks of a function. The one after the last is where the function ends."""

    def __init__(self, function: Function) -> None:
        self.instructions: list[Instruction] = []
        self._labels: dict[str, int] = {}
        self._targets: dict[str, tuple[str, ...]] = {}
        self._read(function.body or ())
        self.starts = self._starts()
        self.ends = [*self.starts[1:], len(self.instructions)]
        self._block_at = {start: block for block, start in enumerate(self.starts)}
        self._block_at[len(self.instructions)] = len(self.starts)
        self.following = [self._following(end - 1) for end in self.ends]

    def _read(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            if isinstance(statement, Instruction):
                self.instructions.append(statement)
            elif isinstance(statement, Label):
                self._labels[statement.name] = len(self.instructions)
            elif isinstance(statement, Targets):
                self._targets[statement.name] = statement.labels
            elif isinstance(statement, Scope):
                self._read(statement.statements)

    def _starts(self) -> list[int]:
        count = len(self.instructions)
        after = {
            place + 1
            for place, instruction in enumerate(self.instructions)
            if instruction.name in ("bra", "brx", *_ENDS)
        }
        return sorted(place for place in {0, *self._labels.values(), *after} if place < count)

    def _following(self, place: int) -> list[int]:
        """The blocks after the one that ends with the instruction at `place`."""
        instruction = self.instructions[place]
        end = len(self.starts)
        following = set()
        names: tuple[str, ...] = ()
        if instruction.name == "bra":
            names = tuple(operand.text for operand in instruction.operands if isinstance(operand, Name))
        elif instruction.name == "brx":
            table = instruction.operands[-1] if instruction.operands else None
            names = self._targets.get(table.text, ()) if isinstance(table, Name) else ()
        elif instruction.name in _ENDS:
            following.add(end)
        following |= {self._block_at.get(self._labels.get(name, -1), end) for name in names}
        if instruction.guard is not None or instruction.name not in ("bra", "brx", *_ENDS):
            following.add(self._block_at.get(place + 1, end))
        return sorted(following)

    def meeting_points(self) -> list[int]:
        """Return the immediate post-dominator of each block: the first block on all paths from it."""
        end = len(self.starts)
        everything = (1 << end + 1) - 1
        after = [everything] * end + [1 << end]
        changed = True
        while changed:
            changed = False
            for block in range(end - 1, -1, -1):
                common = everything
                for following in self.following[block]:
                    common &= after[following]
                common |= 1 << block
                changed |= common != after[block]
                after[block] = common
        return [self._nearest(after, block) for block in range(end)]

    def _nearest(self, after: list[int], block: int) -> int:
        rest = after[block] & ~(1 << block)
        return next((other for other in _bits(rest) if after[other] == rest), len(self.starts))

    def instructions_until(self, start: int, meeting: int, branch: int) -> int:
        """The instructions from a block until `meeting`; -1 if some lead back to `branch`, as in a loop."""
        blocks = self._blocks_until(start, meeting, branch)
        return -1 if blocks is None else sum(self.ends[block] - self.starts[block] for block in blocks)

    def cost_until(self, start: int, meeting: int, branch: int) -> int:
        """Return the same, but count a loop or a call as a side that computes."""
        blocks = self._blocks_until(start, meeting, branch) or set()
        loops = any(to <= block and to in blocks for block in blocks for to in self.following[block])
        places = [place for block in blocks for place in range(self.starts[block], self.ends[block])]
        calls = any(self.instructions[place].name == "call" for place in places)
        return max(len(places), LEAST_ON_DATA if loops or calls else 0)

    def _blocks_until(self, start: int, meeting: int, branch: int) -> set[int] | None:
        """Return the blocks from a given one up to `meeting`, or None if some lead back to `branch`."""
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            block = waiting.pop()
            if block == branch:
                return None
            if block in seen or block in (meeting, len(self.starts)):
                continue
            seen.add(block)
            waiting += self.following[block]
        return seen


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class _Uses:
    """The dependencies of a function's registers."""

    def __init__(self, function: Function, instructions: list[Instruction]) -> None:
        self._parameters = {variable.name for variable in function.parameters}
        self._users: dict[str, list[Instruction]] = {}
        loaded: set[str] = set()
        equal: set[str] = set()
        for instruction in instructions:
            if instruction.name in _WRITES_NOTHING:
                continue
            if instruction.name in _LOADS and not self._is_parameter(instruction):
                loaded |= _written(instruction)
                continue
            if instruction.name == "setp" and instruction.any_of("eq", "ne"):
                equal |= _written(instruction)
            for name in registers_in(instruction.operands[1:], in_addresses=True):
                self._users.setdefault(name, []).append(instruction)
            if instruction.guard is not None:
                self._users.setdefault(instruction.guard.register, []).append(instruction)
        self._data = self._reached(loaded, any_type=True)
        self._equal = self._reached(equal, any_type=False)

    def compares_indices(self, predicate: str) -> bool:
        """Return whether a predicate tests equality of values independent of memory and other threads."""
        return predicate in self._equal and predicate not in self._data

    def depends_on_data(self, predicate: str) -> bool:
        """Whether a predicate depends on memory or on other threads."""
        return predicate in self._data

    def _reached(self, names: set[str], *, any_type: bool) -> set[str]:
        """The registers that are computed from `names`, all of them or only predicates."""
        reached: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in reached:
                continue
            reached.add(name)
            for user in self._users.get(name, ()):
                if any_type or "pred" in user.modifiers:
                    waiting += _written(user)
        return reached

    def _is_parameter(self, instruction: Instruction) -> bool:
        if instruction.name != "ld" or instruction.space not in ("param", "const"):
            return False
        return instruction.space == "const" or not self._parameters.isdisjoint(
            registers_in(instruction.operands[1:], in_addresses=True)
        )


def _written(instruction: Instruction) -> set[str]:
    return set(registers_in(instruction.operands[:1], in_addresses=True))
