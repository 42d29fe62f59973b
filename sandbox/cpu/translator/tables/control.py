"""Control flow, calls and odds and ends. Source: PTX ISA 9.0, sections 9.7.12 and 9.7.19."""

from ..emission import Emission
from ..errors import UnsupportedForm
from ..symbols import FunctionSymbol, VariableSymbol, lay_out
from ..syntax import Arguments, Instruction, Name, Operand, Prototype, Variable
from .entry import InstructionEntry

# Functions of CUDA's device runtime: the body for each, with P its parameters and Q its result.
_DEVICE_RUNTIME = {
    "GetParameterBufferV2": "wc_parameter_buffer(T, P, Q, T->location);",
    "LaunchDeviceV2": "wc_launch_device(T, P, Q, T->location);",
    "GetLastError": "wc_device_last_error(T, Q, false);",
    "PeekAtLastError": "wc_device_last_error(T, Q, true);",
    "GetErrorString": "wc_device_error_text(P, Q, false);",
    "GetErrorName": "wc_device_error_text(P, Q, true);",
    "GetDevice": "wc_device_number(T, P, Q, 0, T->location);",
    "GetDeviceCount": "wc_device_number(T, P, Q, 1, T->location);",
    "StreamCreateWithFlags": "wc_device_stream_create(T, P, Q, T->location);",
    "StreamDestroy": "wc_device_stream_destroy(P, Q);",
    "StreamWaitEvent": "wc_device_stream_wait(T, P, Q);",
    "EventCreateWithFlags": "wc_device_event_create(T, P, Q, T->location);",
    "EventRecord": "wc_device_event_record(T, P, Q);",
    "EventDestroy": "wc_device_event_destroy(P, Q);",
    "Malloc": "wc_device_malloc(T, P, Q, T->location);",
    "Free": "wc_device_free(T, P, Q, T->location);",
}
# All functions that the engine provides to device code.
INTRINSICS = {
    "vprintf": "wc_printf(T, load<u64>(u64(P)), load<u64>(u64(P) + 8), Q, T->location);",
    "malloc": "wc_malloc(T, P, Q, T->location);",
    "free": "wc_free(T, P, T->location);",
    "__assertfail": (
        "wc_assert_fail(T, load<u64>(u64(P)), load<u64>(u64(P) + 8), load<u32>(u64(P) + 16), "
        "load<u64>(u64(P) + 24), T->location);"
    ),
    # Programs that are compiled for CUDA's second device runtime call its functions with this prefix.
    **{f"__cudaCDP2{name}": body for name, body in _DEVICE_RUNTIME.items()},
}


def _bra(code: Emission, instruction: Instruction) -> str:
    target = instruction.operand(0)
    if not isinstance(target, Name):
        raise UnsupportedForm(instruction.opcode)
    return code.jump(target.text)


def _brx(code: Emission, instruction: Instruction) -> str:
    """A jump through `.branchtargets`; an index past its end is the program's fault."""
    table = instruction.operand(1)
    targets = code.targets.get(table.text) if isinstance(table, Name) else None
    if targets is None:
        raise UnsupportedForm(instruction.opcode)
    cases = " ".join(f"case {index}: {code.jump(label)}" for index, label in enumerate(targets.labels))
    index = code.read(instruction.operand(0), "u32")
    return f"switch ({index}) {{ {cases} default: wc_trap(T, {code.location}); }}"


def _ret(code: Emission, instruction: Instruction) -> str:
    del code, instruction
    return "return;"


def _exit(code: Emission, instruction: Instruction) -> str:
    del instruction
    return "return;" if code.is_entry else "wc_exit(T);"


def _trap(code: Emission, instruction: Instruction) -> str:
    """`trap`: CUDA's header of cooperative groups traps if the grid has no barrier."""
    del instruction
    trap = "wc_no_grid_barrier" if code.file == "cooperative_groups.h" else "wc_trap"
    return f"{trap}(T, {code.location});"


def _nothing(code: Emission, instruction: Instruction) -> str:
    del code, instruction
    return ";"


def _yield(code: Emission, instruction: Instruction) -> str:
    del code, instruction
    return "wc_yield(T);"


def _call(code: Emission, instruction: Instruction) -> str:
    """`call (result), function, (arguments), prototype`: arguments are copied into one parameter block.

    The last parameter of a variadic function has no size: `.param .align 8 .b8 %VAParam[]`. It holds all
    variadic arguments of the caller. A call without variadic arguments omits it.
    """
    operands = list(instruction.operands)
    result = _arguments(operands)
    callee = operands.pop(0)
    arguments = _arguments(operands)
    function, results, parameters, check = _callee(code, callee, operands)
    if parameters and not parameters[-1].size_bytes and len(arguments) < len(parameters):
        parameters = parameters[:-1]
    if len(arguments) != len(parameters):
        raise UnsupportedForm(instruction.opcode)
    if len(result) != len(results):
        raise UnsupportedForm(instruction.opcode)
    layout = lay_out(parameters)
    block_bytes = max(layout.size_bytes, 1)
    copies = []
    for value, parameter, offset in zip(arguments, parameters, layout.offsets, strict=True):
        place = _place(code, value, parameter)
        size_bytes = parameter.size_bytes or place.size_bytes
        block_bytes = max(block_bytes, offset + size_bytes)
        copies.append(f"copy_bytes(block + {offset}, {place.address}, {size_bytes});")
    target = "nullptr"
    if result:
        target = f"reinterpret_cast<u8*>({_place(code, result[0], results[0]).address})"
    return (
        f"{{ alignas(16) u8 block[{block_bytes}]; {' '.join(copies)} {check}"
        f"T->location = {code.location}; {function}(T, block, {target}); }}"
    )


def _arguments(operands: list[Operand]) -> tuple[Operand, ...]:
    """Take a list in brackets off the front; it may be absent."""
    first = operands[0] if operands else None
    if not isinstance(first, Arguments):
        return ()
    del operands[0]
    return first.elements


_Variables = tuple[Variable, ...]


def _callee(code: Emission, callee: Operand, rest: list[Operand]) -> tuple[str, _Variables, _Variables, str]:
    """The C++ expression for the function, its results and parameters, and a check of an indirect target."""
    symbol = code.scopes.find(callee.text) if isinstance(callee, Name) else None
    if isinstance(symbol, FunctionSymbol):
        return symbol.cpp, symbol.function.results, symbol.function.parameters, ""
    address = code.read(callee, "u64")
    check = f"check_callee(T, {address}, {code.location}); "
    prototype = _prototype(code, rest)
    return f"reinterpret_cast<Entry>({address})", prototype.results, prototype.parameters, check


def _prototype(code: Emission, operands: list[Operand]) -> Prototype:
    name = operands[0] if operands else None
    prototype = code.prototypes.get(name.text) if isinstance(name, Name) else None
    if prototype is None:
        raise UnsupportedForm("an indirect call without a prototype")
    return prototype


def _place(code: Emission, operand: Operand, variable: Variable) -> VariableSymbol:
    """The .param variable that is handed over as `variable`, which must fit into it."""
    symbol = code.scopes.find(operand.text) if isinstance(operand, Name) else None
    if not isinstance(symbol, VariableSymbol):
        raise UnsupportedForm("an argument that is not a .param variable")
    if symbol.space != "param" or symbol.size_bytes < variable.size_bytes:
        raise UnsupportedForm("an argument of another size")
    return symbol


ENTRIES = (
    InstructionEntry("bra", "9.7.12 bra", "bra{.uni} label", _bra),
    InstructionEntry("brx", "9.7.12 brx.idx", "brx.idx{.uni} index, targets", _brx),
    InstructionEntry("call", "9.7.12 call", "call{.uni} (result), function, (arguments){, prototype}", _call),
    InstructionEntry("ret", "9.7.12 ret", "ret{.uni}", _ret),
    InstructionEntry("exit", "9.7.12 exit", "exit", _exit),
    InstructionEntry("trap", "9.7.19 trap", "trap", _trap),
    InstructionEntry("brkpt", "9.7.19 brkpt", "brkpt", _trap, note="There is no debugger: it traps."),
    InstructionEntry(
        "nanosleep",
        "9.7.19 nanosleep",
        "nanosleep.u32 t",
        _yield,
        note="Lets other threads run; does not sleep.",
    ),
    InstructionEntry("pmevent", "9.7.19 pmevent", "pmevent a", _nothing),
    InstructionEntry("setmaxnreg", "9.7.19 setmaxnreg", "setmaxnreg.… n", _nothing),
    InstructionEntry(
        "griddepcontrol",
        "9.7.13 griddepcontrol",
        "griddepcontrol.{launch_dependents,wait}",
        _nothing,
        note="Grids of a stream run one after the other.",
    ),
)
