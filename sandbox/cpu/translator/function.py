"""One PTX function → one C++ function: registers become locals, labels become labels, branches gotos."""

from collections.abc import Iterator, Mapping

from .accumulation import Accumulation, watched_accumulation
from .branches import DATA_BRANCHES, counted_branches
from .cancellation import watched_subtraction
from .copied import copied_registers
from .definitions import Definitions
from .doubles import is_double_arithmetic
from .emission import Emission, Unit
from .errors import DuplicateLabel, UnsupportedForm
from .families import families_of
from .locations import Locations
from .looks import looks_again
from .narrow_products import KINDS, NarrowProducts
from .ptx_types import TYPES
from .shared_bases import SharedBases
from .symbols import (
    CppNames,
    FunctionSymbol,
    Register,
    Scopes,
    Symbol,
    VariableSymbol,
    is_shared,
    lay_out,
)
from .syntax import (
    Function,
    Instruction,
    Label,
    Name,
    Prototype,
    Registers,
    Scope,
    SourceLocation,
    Statement,
    Targets,
    Variable,
)
from .tables import find
from .tables.half import half_format
from .ways import Place, accesses_memory, ways, writes_memory

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
        """Return the C++ definition of a function with a body.

        Args:
            function: what to translate.
            shared_offsets: where the function's own shared variables lie in the block's shared memory.
        """
        code = self._module[function.name]
        cpp = code.cpp if isinstance(code, FunctionSymbol) else ""
        body = _Body(self._unit, self._locations, self._module, shared_offsets)
        lines = body.translate(function)
        return "\n".join((f"static {SIGNATURE.format(cpp)} {{", *body.declarations(), *lines, "}"))


class _Body:
    def __init__(
        self, unit: Unit, locations: Locations, module: dict[str, Symbol], shared_offsets: dict[str, int]
    ) -> None:
        self._names = CppNames()
        self._scopes = Scopes(self._names, module)
        self._common = [name for name, symbol in module.items() if is_shared(symbol)]
        self._locations = locations
        self._shared_offsets = shared_offsets
        self._code = Emission(unit, self._scopes, self._names)
        self._arrays: list[str] = []
        self._places: Iterator[VariableSymbol] = iter(())
        self._lines: list[str] = []
        self._place = -1  # of the instruction in the function
        self._counted: Mapping[int, bool] | None = None  # branches, once they are asked for
        self._accesses: dict[int, Place] = {}  # of memory, by place

    def translate(self, function: Function) -> list[str]:
        self._function = function
        self._definitions = Definitions(function)
        self._narrow = NarrowProducts(function, self._definitions)
        self._looks = looks_again(function)
        self._code.copied = copied_registers(function)
        self._code.is_entry = function.is_entry
        self._code.shared_bases = SharedBases(function, self._common)
        self._locations.enter_function(function.name)
        layout = lay_out(function.parameters)
        for variable, offset in zip(function.parameters, layout.offsets, strict=True):
            self._scopes.define(
                variable.name, VariableSymbol(f"(u64(P) + {offset})", "param", variable.size_bytes)
            )
        for variable in function.results:
            result = VariableSymbol("u64(Q)", "param", variable.size_bytes)
            self._scopes.define(variable.name, result)
            self._code.regions["param"].append(result)
        if layout.size_bytes:
            self._code.regions["param"].append(VariableSymbol("u64(P)", "param", layout.size_bytes))
        body = function.body or ()
        self._places = iter(self._reserve(body))
        self._enter(body)
        self._statements(body)
        self._code.unit.ways += ways(function, self._accesses)
        return self._lines

    def declarations(self) -> list[str]:
        lines = ["[[maybe_unused]] const Frame W(T);"]
        for cpp_type, registers in self._scopes.registers.items():
            undefined = f"undefined_{cpp_type}"
            lines.append(f"const {cpp_type} {undefined} = undefined<{cpp_type}>(W);")
            lines.append(f"{cpp_type} {', '.join(f'{register} = {undefined}' for register in registers)};")
        lines += [f"u32 {mask} = 0;" for mask in self._code.unset_masks.values()]
        if self._code.uses_carry:
            lines.append("bool CC = false;")
        return lines + self._arrays + [self._regions(space) for space in sorted(self._code.used_regions)]

    def _regions(self, space: str) -> str:
        """Return the bounds of all variables in a state space; without variables, empty bounds."""
        places = self._code.regions[space]
        bounds = ", ".join(f"{{{place.address}, {place.size_bytes}}}" for place in places)
        return f"const Region {space}_regions[] = {{{bounds or '{0, 0}'}}};"

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
                self._place += 1
                self._code.looks_again = self._place in self._looks
                self._lines.append(self._instruction(statement))
            elif isinstance(statement, SourceLocation):
                self._locate(statement)
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

    def _locate(self, statement: SourceLocation) -> None:
        """Note the line of what follows, for messages and, as a comment, for what g++ may refuse of it."""
        location = self._locations.index(statement, self._code.location)
        self._code.file = self._locations.file
        self._code.files = self._locations.files
        if location != self._code.location:
            self._code.location = location
            self._lines.append(f"// line {self._locations.user_line(location)}")
            self._code.unit.starts.setdefault(self._function.name, location)

    def _reserve(self, statements: tuple[Statement, ...]) -> list[VariableSymbol]:
        """Declare the arrays of all scopes ahead: an address in a register may be of any of them."""
        places: list[VariableSymbol] = []
        for statement in statements:
            if isinstance(statement, Scope):
                places += self._reserve(statement.statements)
            elif isinstance(statement, Variable) and statement.space in self._code.regions:
                cpp = self._names.fresh("m", statement.name)
                alignment_bytes = max(statement.alignment_bytes, SMALLEST_ARRAY_ALIGNMENT_BYTES)
                size_bytes = max(statement.size_bytes, 1)
                self._arrays.append(f"alignas({alignment_bytes}) u8 {cpp}[{size_bytes}];")
                if statement.space == "local":
                    self._arrays.append(f"spoil(W, {cpp}, {size_bytes});")
                places.append(VariableSymbol(f"u64({cpp})", statement.space, statement.size_bytes))
                self._code.regions[statement.space].append(places[-1])
        return places

    def _variable(self, variable: Variable) -> None:
        if variable.space == "shared":
            offset = self._shared_offsets.get(variable.name)
            address = "u64(T->dynamic_offset)" if offset is None else f"{offset}ull"
            self._scopes.define(
                variable.name,
                VariableSymbol(address, "shared", variable.size_bytes, is_static=offset is not None),
            )
            return
        if variable.space in self._code.regions:  # the module has defined all others
            self._scopes.define(variable.name, next(self._places))

    def _instruction(self, instruction: Instruction) -> str:
        try:
            return self._guarded(instruction)
        except (UnsupportedForm, LookupError, ValueError, ArithmeticError):
            # A form that its table does not know: only reaching it fails.
            return f'wc_unsupported(T, "{instruction.opcode[:100]}", {self._code.location});'

    def _guarded(self, instruction: Instruction) -> str:
        self._note_order(instruction)
        entry = find(instruction)
        text = entry.emit(self._code, instruction)
        if entry.header:
            self._code.uses(entry.header)
        self._note_double(instruction)
        text = f"{self._count(instruction)}{self._watch(instruction, text)}"
        guard = instruction.guard
        if guard is None:
            return text
        register = self._scopes.find(guard.register)
        if not isinstance(register, Register) or register.type is not TYPES["pred"]:
            raise UnsupportedForm("a guard that is not a predicate")
        condition = self._branch(instruction, f"{'!' if guard.negated else ''}{register.cpp}")
        return f"if ({condition}) {{ {text} }}"

    def _branch(self, instruction: Instruction, condition: str) -> str:
        """Return the condition of a guarded instruction.

        If the branch is counted, it is reported to a counting run.
        """
        location = self._code.location
        if instruction.name != "bra" or not self._locations.user_line(location):
            return condition
        if self._counted is None:
            with_data = DATA_BRANCHES in self._code.unit.counters
            self._counted = counted_branches(self._function, with_data=with_data)
        if self._place not in self._counted:
            return condition
        self._code.unit.branch_count += 1
        noted = "true" if self._counted[self._place] else "false"
        return f"branch(T, {condition}, {{{self._code.unit.branch_count}, {location}, {noted}}})"

    def _note_order(self, instruction: Instruction) -> None:
        """Note where memory is accessed and where other functions are called."""
        location = self._code.location
        order = self._locations.order
        if order and accesses_memory(instruction):
            self._accesses[self._place] = Place(location, order, writes_memory(instruction))
        if instruction.name == "call":
            for operand in instruction.operands:
                if isinstance(operand, Name):
                    callers = self._code.unit.calls.setdefault(operand.text, set())
                    callers.add((self._function.name, location))

    def _count(self, instruction: Instruction) -> str:
        """Statements that count an execution of the instruction, one for each of its kinds to be counted."""
        unit = self._code.unit
        text = ""
        products = self._narrow.products(instruction) if unit.counts_narrow_products else 0
        if products:
            unit.counted.append((KINDS[products], self._code.location))
            text = f"executes(T, {len(unit.counted) - 1}); "
        if not unit.counters:
            return text
        for kind in families_of(instruction):
            if kind in unit.counters:
                unit.counted.append((kind, self._code.location))
                text += f"executes(T, {len(unit.counted) - 1}); "
        return text

    def _watch(self, instruction: Instruction, text: str) -> str:
        """Return the statements of an instruction.

        They also report a subtraction or an addition to a sum, if a counting run watches it.
        """
        location = self._code.location
        if not self._locations.user_line(location):
            return text
        place = watched_subtraction(instruction, self._definitions)
        if place is not None:
            before = self._code.read(instruction.operand(place), "f32")
            after = self._code.read(instruction.operand(0), "f32")
            text = f"{{ const float before = {before}; {text} subtracted(T, before, {after}, {location}); }}"
        return self._watch_sum(instruction, text)

    def _watch_sum(self, instruction: Instruction, text: str) -> str:
        """Return the statements of an instruction.

        If the instruction adds to a sum in a loop, they also report the addition to a counting run.
        """
        found = watched_accumulation(instruction, self._definitions)
        if found is None:
            return text
        before, after = self._number(instruction, found.sum, found), self._number(instruction, 0, found)
        term = " * ".join(self._number(instruction, place, found) for place in found.factors)
        return (
            f"{{ const double sum = {before}, term = {term}; {text} "
            f"accumulated(T, {{sum, term, {after}, SumFormat::{found.format}}}, {self._code.location}); }}"
        )

    def _number(self, instruction: Instruction, place: int, found: Accumulation) -> str:
        """Return the operand at `place` as a double."""
        value = self._code.read(instruction.operand(place), found.type)
        return f"double({value if found.type == 'f32' else f'{half_format(found.type)}::decode({value})'})"

    def _note_double(self, instruction: Instruction) -> None:
        """Note that a line of a kernel computes in double precision."""
        location = self._code.location
        unit = self._code.unit
        if not unit.counts_doubles or not self._function.is_entry or not is_double_arithmetic(instruction):
            return
        if self._locations.user_line(location):
            unit.doubles[self._function.name, location] += 1
