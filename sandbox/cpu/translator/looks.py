"""Finds volatile reads that read the same place repeatedly, as in a thread that waits for another thread.

Race mode reports a volatile read of an old value, unless its line polls. At run time, it detects polling if a
thread reads the place again. If the first read always finds the awaited value, polling can only be detected
in the text.
"""

from .branches import MOST_BLOCKS, Flow
from .definitions import registers_in
from .polling import instructions_of
from .syntax import Address, Function, Instruction, Name

_CHANGES = ("st", "red", "atom", "call", "cp", "stmatrix", "wmma", "sust")


def looks_again(function: Function) -> frozenset[int]:
    """The volatile loads that a thread can reach again before it changes their address or memory.

    They are returned as indices of instructions in `function`.
    """
    instructions = enumerate(instructions_of(function.body or ()))
    loads = [place for place, load in instructions if load.name == "ld" and load.has("volatile")]
    if not loads:
        return frozenset()
    flow = Flow(function)
    if len(flow.starts) > MOST_BLOCKS:
        return frozenset()
    return frozenset(place for place in loads if _comes_back(flow, place))


def _comes_back(flow: Flow, load: int) -> bool:
    operands = flow.instructions[load].operands
    address = operands[1] if len(operands) > 1 else None
    if not isinstance(address, Address) or not isinstance(address.base, Name):
        return False
    block = next(block for block, end in enumerate(flow.ends) if load < end)
    waiting, seen = [(load + 1, block)], set[int]()
    while waiting:
        start, block = waiting.pop()
        places = range(start, flow.ends[block])
        stop = next(
            (at for at in places if at == load or _changes(flow.instructions[at], address.base)), None
        )
        if stop == load:
            return True
        if stop is None:
            following = {after for after in flow.following[block] if after < len(flow.starts)} - seen
            seen |= following
            waiting += [(flow.starts[after], after) for after in following]
    return False


def _changes(instruction: Instruction, base: Name) -> bool:
    return instruction.name in _CHANGES or base.text in registers_in(instruction.operands[:1])
