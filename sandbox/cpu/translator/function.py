"""One PTX function → one C++ function: registers become locals, labels become labels, branches gotos."""

from .emission import Emission, Unit
from .errors import DuplicateLabel, UnsupportedForm
from .locations import Locations
from .ptx_types import TYPES
from .symbols import Code, CppNames, Place, Register, Scopes, Symbol, lay_out
from .syntax import (
    Function,
    Instruction,
    Label,
    Prototype,
    Registers,
    Scope,
    SourceLocation,
    Statement,
    Targets,
    Variable,
)
from .tables import find

SIGNATURE = "void {}([[maybe_unused]] Thread* T, [[maybe_unused]] const u8* P, [[maybe_unused]] u8* Q)"
SMALLEST_ARRAY_ALIGNMENT_BYTES = 16


class FunctionTranslator:
    """Translates the functions of one module."""

    def __init__(self, unit: Unit, locations: Locations, module: dict[str, Symbol], names: CppNames) -> None:
        self._unit = unit
        self._locations = locations
        self._module = module
        self._names = names

    def translate(self, function: Function, shared_offsets: dict[str, int]) -> str:
        """The C++ definition of a function with a body.

        Args:
            function: what to translate.
            shared_offsets: where the function's own shared variables lie in the block's shared memory.
        """
        code = self._module[function.name]
        cpp = code.cpp if isinstance(code, Code) else ""
        body = _Body(self._unit, self._locations, self._module, shared_offsets)
        lines = body.translate(function)
        return "\n".join((f"static {SIGNATURE.format(cpp)} {{", *body.declarations(), *lines, "}"))


class _Body:
    def __init__(
        self, unit: Unit, locations: Locations, module: dict[str, Symbol], shared_offsets: dict[str, int]
    ) -> None:
        self._names = CppNames()
        self._scopes = Scopes(self._names, module)
        self._locations = locations
        self._shared_offsets = shared_offsets
        self._code = Emission(unit, self._scopes, self._names)
        self._arrays: list[str] = []
        self._local_count = 0
        self._lines: list[str] = []

    def translate(self, function: Function) -> list[str]:
        self._code.is_entry = function.is_entry
        self._locations.enter_function()
        layout = lay_out(function.parameters)
        for variable, offset in zip(function.parameters, layout.offsets, strict=True):
            self._scopes.define(variable.name, Place(f"(u64(P) + {offset})", "param", variable.size_bytes))
        for variable in function.results:
            self._scopes.define(variable.name, Place("u64(Q)", "param", variable.size_bytes))
        body = function.body or ()
        self._enter(body)
        self._statements(body)
        return self._lines

    def declarations(self) -> list[str]:
        lines = ["[[maybe_unused]] const Frame W(T);"]
        for cpp_type, registers in self._scopes.registers.items():
            lines.append(f"{cpp_type} {', '.join(f'{register}{{}}' for register in registers)};")
        if self._code.uses_carry:
            lines.append("bool CC = false;")
        return lines + self._arrays

    def _enter(self, statements: tuple[Statement, ...]) -> None:
        """Open a scope: its labels are known throughout, so that branches may go forwards."""
        self._scopes.enter()
        labels: dict[str, str] = {}
        self._code.labels.append(labels)
        for statement in statements:
            if isinstance(statement, Label):
                if statement.name in labels:
                    raise DuplicateLabel(statement.name)
                labels[statement.name] = self._names.fresh("L", statement.name)
            elif isinstance(statement, Targets):
                self._code.targets[statement.name] = statement
            elif isinstance(statement, Prototype):
                self._code.prototypes[statement.name] = statement

    def _leave(self) -> None:
        self._scopes.leave()
        self._code.labels.pop()

    def _statements(self, statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            if isinstance(statement, Instruction):
                self._lines.append(self._instruction(statement))
            elif isinstance(statement, SourceLocation):
                self._code.location = self._locations.index(statement, self._code.location)
            elif isinstance(statement, Label):
                label = self._code.label(statement.name)
                self._code.passed_labels.add(label)
                self._lines.append(f"{label}:;")
            elif isinstance(statement, Registers):
                for name, count in statement.names:
                    self._scopes.define_registers(statement.type, name, count)
            elif isinstance(statement, Variable):
                self._variable(statement)
            elif isinstance(statement, Scope):
                self._enter(statement.statements)
                self._statements(statement.statements)
                self._leave()

    def _variable(self, variable: Variable) -> None:
        if variable.space == "shared":
            offset = self._shared_offsets.get(variable.name)
            address = "u64(T->dynamic_offset)" if offset is None else f"{offset}ull"
            self._scopes.define(variable.name, Place(address, "shared", variable.size_bytes))
            return
        if variable.space not in ("local", "param"):
            return  # the module has defined it
        cpp = self._names.fresh("m", variable.name)
        alignment_bytes = max(variable.alignment_bytes, SMALLEST_ARRAY_ALIGNMENT_BYTES)
        self._arrays.append(f"alignas({alignment_bytes}) u8 {cpp}[{max(variable.size_bytes, 1)}];")
        place = Place(f"u64({cpp})", variable.space, variable.size_bytes)
        self._scopes.define(variable.name, place)
        if variable.space == "local":
            self._local_count += 1
            self._code.local = place if self._local_count == 1 else None

    def _instruction(self, instruction: Instruction) -> str:
        try:
            return self._guarded(instruction)
        except (UnsupportedForm, LookupError, ValueError, ArithmeticError):
            # A form that its table does not know: only reaching it fails.
            return f'wc_unsupported(T, "{instruction.opcode[:100]}", {self._code.location});'

    def _guarded(self, instruction: Instruction) -> str:
        entry = find(instruction)
        text = entry.emit(self._code, instruction)
        if entry.header:
            self._code.uses(entry.header)
        guard = instruction.guard
        if guard is None:
            return text
        register = self._scopes.find(guard.register)
        if not isinstance(register, Register) or register.type is not TYPES["pred"]:
            raise UnsupportedForm("a guard that is not a predicate")
        return f"if ({'!' if guard.negated else ''}{register.cpp}) {{ {text} }}"
