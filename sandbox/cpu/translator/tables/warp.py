"""Barriers and warp operations. Source: PTX ISA 9.0, sections 9.7.9 (shfl) and 9.7.13."""

from ..emission import Emission
from ..errors import UnsupportedForm
from ..syntax import Instruction
from .entry import InstructionEntry

_SHUFFLES = {"up": "kUp", "down": "kDown", "bfly": "kButterfly", "idx": "kIndex"}
_VOTES = {"ballot": "kBallot", "any": "kAny", "all": "kAll", "uni": "kUniform"}
_REDUCTIONS = {"add": "kAdd", "and": "kAnd", "or": "kOr", "xor": "kXor", "min": "kMin", "max": "kMax"}


def _bar(code: Emission, instruction: Instruction) -> str:
    location = code.location
    operands = instruction.operands
    if instruction.has("warp"):
        return f"wc_warp(T, WarpOp::kSync, {code.read(instruction.operand(0), 'u32')}, 0, {location});"
    if instruction.has("cluster"):
        # A cluster has one block: the wait is the block's barrier, on an id that programs cannot name.
        return ";" if instruction.has("arrive") else f"wc_barrier(T, 16, 0, BarrierOp::kSync, 0, {location});"
    if instruction.has("red"):
        operation = {"popc": "kPopc", "and": "kAnd", "or": "kOr"}[instruction.any_of("popc", "and", "or")]
        barrier = code.read(instruction.operand(1), "u32")
        count = code.read(operands[2], "u32") if len(operands) > 3 else "0"
        value = code.read(operands[-1], "pred")
        call = f"wc_barrier(T, {barrier}, {count}, BarrierOp::{operation}, {value}, {location})"
        kind = "u32" if operation == "kPopc" else "pred"
        return code.write(instruction.operand(0), kind, f"({call}{'' if kind == 'u32' else ' != 0'})")
    barrier = code.read(instruction.operand(0), "u32")
    if instruction.has("arrive"):
        return f"wc_barrier_arrive(T, {barrier}, {code.read(instruction.operand(1), 'u32')}, {location});"
    count = code.read(operands[1], "u32") if len(operands) > 1 else "0"
    return f"wc_barrier(T, {barrier}, {count}, BarrierOp::{_sync(code)}, 0, {location});"


def _sync(code: Emission) -> str:
    """Whether the program calls __syncthreads() or a function of cooperative groups. Messages name it."""
    if "cooperative_groups.h" not in code.files:
        return "kSync"
    return "kGridSync" if "sync.h" in code.files else "kGroupSync"


def _shfl(code: Emission, instruction: Instruction) -> str:
    mode = instruction.any_of(*_SHUFFLES)
    target, in_range = code.pair(instruction.operand(0))
    value = code.read(instruction.operand(1), "b32")
    lane, clamp = (code.read(instruction.operand(index), "u32") for index in (2, 3))
    mask = (
        code.read(instruction.operand(4), "u32")
        if instruction.has("sync")
        else f"wc_activemask(T, {code.location})"
    )
    return (
        f"{{ bool inside; const u32 got = wc_shuffle(T, Shuffle::{_SHUFFLES[mode]}, {mask}, {value}, {lane}, "
        f"{clamp}, &inside, {code.location}); {code.write(target, 'b32', 'got')} "
        f"{code.write(in_range, 'pred', 'inside')} }}"
    )


def _vote(code: Emission, instruction: Instruction) -> str:
    mode = instruction.any_of(*_VOTES)
    mask = (
        code.read(instruction.operand(2), "u32")
        if instruction.has("sync")
        else f"wc_activemask(T, {code.location})"
    )
    value = code.read(instruction.operand(1), "pred")
    call = f"wc_warp(T, WarpOp::{_VOTES[mode]}, {mask}, {value}, {code.location})"
    if mode == "ballot":
        return code.write(instruction.operand(0), "b32", call)
    return code.write(instruction.operand(0), "pred", f"({call} != 0)")


def _match(code: Emission, instruction: Instruction) -> str:
    kind = "u64" if instruction.type.size_bytes == 8 else "u32"
    value = code.read(instruction.operand(1), kind)
    mask = code.read(instruction.operand(2), "u32")
    operation = "kMatchAny" if instruction.has("any") else "kMatchAll"
    target, all_equal = code.pair(instruction.operand(0))
    return (
        f"{{ const u32 peers = wc_warp(T, WarpOp::{operation}, {mask}, {value}, {code.location}); "
        f"{code.write(target, 'b32', 'peers')} {code.write(all_equal, 'pred', 'peers != 0')} }}"
    )


def _redux(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    operation = instruction.any_of(*_REDUCTIONS)
    name = _REDUCTIONS[operation]
    if kind.family == "float":
        raise UnsupportedForm(instruction.opcode)
    if operation in ("min", "max") and kind.family == "unsigned":
        name += "Unsigned"
    value = code.read(instruction.operand(1), "u32")
    mask = code.read(instruction.operand(2), "u32")
    return code.write(
        instruction.operand(0), "u32", f"wc_warp(T, WarpOp::{name}, {mask}, {value}, {code.location})"
    )


def _activemask(code: Emission, instruction: Instruction) -> str:
    return code.write(instruction.operand(0), "b32", f"wc_activemask(T, {code.location})")


def _elect(code: Emission, instruction: Instruction) -> str:
    """The lowest lane of the mask is elected."""
    target, elected = code.pair(instruction.operand(0))
    mask = code.read(instruction.operand(1), "u32")
    return (
        f"{{ const u32 voters = wc_warp(T, WarpOp::kBallot, {mask}, 1, {code.location}); "
        "const u32 leader = u32(__builtin_ctz(voters)); "
        f"{code.write(target, 'b32', 'leader')} "
        f"{code.write(elected, 'pred', 'leader == (T->index & 31u)')} }}"
    )


ENTRIES = (
    InstructionEntry(
        "shfl", "9.7.9 shfl.sync", "shfl{.sync}.{up,down,bfly,idx}.b32 d{|p}, a, b, c{, mask}", _shfl
    ),
    InstructionEntry("bar", "9.7.13 bar", "bar{.warp}{.cta}.{sync,red,arrive}… a{, b}", _bar),
    InstructionEntry(
        "barrier",
        "9.7.13 barrier, barrier.cluster",
        "barrier{.cta,.cluster}.{sync,red,arrive,wait}{.aligned}… a{, b}",
        _bar,
        note="A cluster has one block.",
    ),
    InstructionEntry(
        "vote", "9.7.13 vote.sync", "vote{.sync}.{all,any,uni,ballot}.type d, {!}a{, mask}", _vote
    ),
    InstructionEntry("match", "9.7.13 match.sync", "match.{any,all}.sync.type d{|p}, a, mask", _match),
    InstructionEntry("redux", "9.7.13 redux.sync", "redux.sync.op.{u32,s32,b32} d, a, mask", _redux),
    InstructionEntry("activemask", "9.7.13 activemask", "activemask.b32 d", _activemask),
    InstructionEntry("elect", "9.7.13 elect.sync", "elect.sync d|p, mask", _elect),
)
