"""Atomics, reductions and fences. Source: PTX ISA 9.0, section 9.7.13 (atom, red, membar, fence)."""

from ..emission import ATOMIC, BLOCK_ATOMIC, Emission
from ..errors import UnsupportedForm
from ..ptx_types import Type, unsigned
from ..syntax import Instruction, Name, Operand
from .entry import InstructionEntry
from .half import half_format
from .memory import acquire, has_block_scope, release

_OPERATIONS = ("add", "exch", "cas", "min", "max", "and", "or", "xor", "inc", "dec")


def _functor(operation: str, kind: Type) -> str:
    """The C++ functor that combines the old value with the operand."""
    name = {"and": "And", "or": "Or", "xor": "Xor"}.get(operation, operation.capitalize())
    if kind.family == "half":
        packed = "Packed" if kind.name.endswith("x2") else "Single"
        return f"Atomic{name}Half<{packed}, {half_format(kind.name)}>"
    return f"Atomic{name}"


def _one(
    code: Emission, operation: str, kind: Type, target: Operand, pointer: str, sources: list[str]
) -> str:
    """One atomic on a scalar."""
    if kind.family == "signed" and operation not in ("min", "max"):
        kind, sources = unsigned(kind), [f"u{kind.bits}({source})" for source in sources]
    if operation == "cas":
        if len(sources) != 2:
            raise UnsupportedForm("atom.cas")
        value = f"compare_and_swap<{kind.cpp}>(W, {pointer}, {sources[0]}, {sources[1]})"
    else:
        value = f"atomic<{_functor(operation, kind)}, {kind.cpp}>(W, {pointer}, {sources[0]})"
    return code.write(target, kind, value)


def _atomic(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    operands = instruction.operands
    target: Operand = Name("_") if instruction.name == "red" else instruction.operand(0)
    address, *rest = operands if instruction.name == "red" else operands[1:]
    operation = instruction.any_of(*_OPERATIONS)
    if not operation:
        raise UnsupportedForm(instruction.opcode)
    if kind.family == "half":
        code.uses("half")
        code.uses("atomic_half")
    count = 2 if operation == "cas" else 1
    vectors = [code.elements(operand) for operand in rest[:count]]
    targets = code.elements(target) if target != Name("_") else (target,) * len(vectors[0])
    access = BLOCK_ATOMIC if has_block_scope(instruction) else ATOMIC
    pointer = code.pointer(address, instruction.space, kind.size_bytes * len(vectors[0]), access)
    if len(vectors[0]) == 1:
        sources = [code.read(vector[0], kind) for vector in vectors]
        one = _one(code, operation, kind, targets[0], pointer, sources)
        return release(instruction) + one + acquire(instruction)
    parts = [
        _one(
            code,
            operation,
            kind,
            targets[index],
            f"at + {kind.size_bytes * index}",
            [code.read(vector[index], kind) for vector in vectors],
        )
        for index in range(len(vectors[0]))
    ]
    return f"{release(instruction)}{{ const u64 at = {pointer}; {' '.join(parts)} }}{acquire(instruction)}"


def _fence(code: Emission, instruction: Instruction) -> str:
    del code
    if instruction.any_of("proxy", "mbarrier_init"):
        return ";"
    return f"fence(W, {str(has_block_scope(instruction)).lower()});"


ENTRIES = (
    InstructionEntry(
        "atom",
        "9.7.13 atom",
        "atom{.sem}{.scope}{.space}.op{.vec}.type d, [a], b{, c}",
        _atomic,
        header="atomic",
        note="Sequentially consistent. Race mode respects the order that it states.",
    ),
    InstructionEntry(
        "red",
        "9.7.13 red",
        "red{.sem}{.scope}{.space}.op{.vec}.type [a], b",
        _atomic,
        header="atomic",
        note="Sequentially consistent. Race mode respects the order that it states.",
    ),
    InstructionEntry("membar", "9.7.13 membar", "membar.{cta,gl,sys}", _fence),
    InstructionEntry("fence", "9.7.13 fence", "fence{.sem}.scope; fence.proxy.…", _fence),
)
