"""Asynchronous copies and mbarriers. A copy is not visible before its thread has waited for it.

Bulk copies have one dimension. Source: PTX ISA 9.0, sections 9.7.9 (cp.async) and 9.7.13 (mbarrier).
"""

from ..emission import POLLED_WRITE, READ, WRITE, Emission
from ..errors import UnsupportedForm
from ..syntax import Address, Instruction, Number
from .entry import InstructionEntry

_ASYNC = frozenset(("async",))


def _copy(code: Emission, instruction: Instruction) -> str:
    if instruction.has("bulk"):
        return _bulk(code, instruction)
    if instruction.has("commit_group"):
        return "wc_commit_copies(T);"
    if instruction.has("wait_group"):
        return f"wc_wait_for_copies(T, {code.read(instruction.operand(0), 'u32')});"
    if instruction.has("wait_all"):
        return "wc_wait_for_all_copies(T);"
    if instruction.has("mbarrier"):
        # Without .noinc the count rises by one now and falls by one when the copies are done: no change.
        arrival = (
            f" (void)arrive_barrier({_barrier(code, instruction, 0)}, 1u);"
            if instruction.has("noinc")
            else ""
        )
        return f"wc_wait_for_all_copies(T);{arrival}"
    if not instruction.any_of("ca", "cg"):
        raise UnsupportedForm(instruction.opcode)
    size = instruction.operand(2)
    if not isinstance(size, Number) or size.value not in (4, 8, 16):
        raise UnsupportedForm(instruction.opcode)
    kept = _kept_bytes(code, instruction, size.value)
    target = code.pointer(instruction.operand(0), "shared", size.value, WRITE)
    source = code.pointer(instruction.operand(1), "global", size.value, READ)
    if kept != f"{size.value}u":  # what is not read need not be there
        part = code.part_of_global(instruction.operand(1), size.value, "kept")
        source = f"kept < {size.value} ? {part} : {source}"
    # The source comes first: race mode takes what follows the check of a write for that write.
    return (
        f"{{ const u32 kept = {kept}; const CopySource<{size.value}> source(kept ? ({source}) : 0, kept); "
        f"wc_copy_async(T, {target}, source.data, {size.value}, kept, {code.location}); }}"
    )


def _kept_bytes(code: Emission, instruction: Instruction, size_bytes: int) -> str:
    """A fourth operand of 32 bits is the source size; a predicate says to read nothing."""
    kept = f"{size_bytes}u"
    for operand in instruction.operands[3:]:
        if isinstance(operand, Number):
            kept = code.read(operand, "u32")
        elif (kind := code.register(operand).type).name == "pred":
            kept = f"({code.read(operand, 'pred')} ? 0u : {kept})"
        elif kind.size_bytes == 4:
            kept = code.read(operand, "u32")
    return kept


def _bulk(code: Emission, instruction: Instruction) -> str:
    """A copy of many bytes between global and shared memory; several dimensions and clusters are refused."""
    if instruction.any_of("commit_group", "wait_group"):
        return ";"  # copies to global memory are done at once
    match tuple(modifier.partition("::")[0] for modifier in instruction.modifiers):
        case ("async", "bulk", "shared", "global", "mbarrier", *hints) if len(instruction.operands) >= 4:
            places = f"u32({code.address(instruction.operand(0))}), {code.address(instruction.operand(1))}"
            call = f"wc_copy_bulk(T, {places}, {{size}}, {_barrier(code, instruction, 3)}, {{site}}, {{at}});"
        case ("async", "bulk", "global", "shared", "bulk_group", *hints):
            places = f"{code.address(instruction.operand(0))}, u32({code.address(instruction.operand(1))})"
            call = f"wc_store_bulk(T, {places}, {{size}}, {{site}}, {{at}});"
        case _:
            raise UnsupportedForm(instruction.opcode)
    if set(hints) - {"L2"}:
        raise UnsupportedForm(instruction.opcode)
    size = code.read(instruction.operand(2), "u32")
    return call.format(size=size, site=code.new_site(), at=code.location)


def _barrier(code: Emission, instruction: Instruction, index: int) -> str:
    space = "shared" if instruction.space == "shared" else ""
    return code.pointer(instruction.operand(index), space, 8, POLLED_WRITE)


def _arrival(code: Emission, instruction: Instruction, at: str, shift: int) -> str:
    """An arrival at the mbarrier `at`, which may expect bytes. The operands after it start at `shift` + 1."""
    given = len(instruction.operands) > shift + 1
    number = code.read(instruction.operand(shift + 1), "u32") if given else "1u"
    expects = instruction.has("expect_tx")
    expectation = f"expect_transactions({at}, {number}); " if expects else ""
    function = "drop_barrier" if instruction.modifiers[0] == "arrive_drop" else "arrive_barrier"
    value = f"{function}({at}, {'1u' if expects else number})"
    arrival = code.write(instruction.operand(0), "b64", value) if shift else f"(void){value};"
    return f"wc_meet(T); {expectation}{arrival}"


def _mbarrier(code: Emission, instruction: Instruction) -> str:
    action = instruction.modifiers[0]
    if action in ("init", "inval"):
        at = _barrier(code, instruction, 0)
        if action == "inval":
            return f"(void)({at});"
        return f"init_barrier({at}, {code.read(instruction.operand(1), 'u32')});"
    at_first = isinstance(instruction.operand(0), Address)  # the form without a result
    shift = 0 if at_first else 1
    at = _barrier(code, instruction, shift) if action != "pending_count" else ""
    if action in ("expect_tx", "complete_tx"):
        function = "expect_transactions" if action == "expect_tx" else "complete_transactions"
        return f"{function}({at}, {code.read(instruction.operand(1), 'u32')});"
    if action in ("arrive", "arrive_drop"):
        return _arrival(code, instruction, at, shift)
    if action in ("test_wait", "try_wait"):
        parity = instruction.has("parity")
        state = code.read(instruction.operand(2), "u32" if parity else "u64")
        function = "is_parity_complete" if parity else "is_phase_complete"
        return code.write(instruction.operand(0), "pred", f"{function}(T, {at}, {state})")
    if action == "pending_count":
        return code.write(
            instruction.operand(0), "u32", f"pending_count({code.read(instruction.operand(1), 'u64')})"
        )
    raise UnsupportedForm(instruction.opcode)


ENTRIES = (
    InstructionEntry(
        "cp",
        "9.7.9 cp.async",
        "cp.async.{ca,cg}.shared.global{hints} [dst], [src], size{, src-size}; "
        "cp.async.{commit_group,wait_group n,wait_all}; cp.async.mbarrier.arrive{.noinc}.b64 [a]; "
        "cp.async.bulk.shared::{cta,cluster}.global.mbarrier::complete_tx::bytes [dst], [src], size, [a]; "
        "cp.async.bulk.global.shared::cta.bulk_group [dst], [src], size; "
        "cp.async.bulk.{commit_group,wait_group{.read} n}",
        _copy,
        needs=_ASYNC,
        header="copies",
        note="The target holds poison until the wait. Bulk copies to global memory are done at once. Tensor "
        "copies, reductions, multicast and copies between blocks are unsupported.",
    ),
    InstructionEntry(
        "mbarrier",
        "9.7.13 mbarrier",
        "mbarrier.{init,inval,expect_tx,complete_tx,arrive{.expect_tx},arrive_drop,test_wait,try_wait,"
        "pending_count}.…",
        _mbarrier,
        header="copies",
    ),
)
