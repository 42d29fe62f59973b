"""A PTX module → one C++ file."""

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from .doubles import keeps_doubles
from .emission import Unit
from .errors import MemoryExceeded
from .function import SIGNATURE, FunctionTranslator
from .initialisers import define
from .locations import Locations
from .narrow_products import uses_tensor_cores
from .polling import polling
from .shared_names import source_name
from .symbols import CppNames, FunctionSymbol, Layout, Symbol, VariableSymbol, lay_out
from .syntax import Function, PtxModule, Scope, Statement, Variable
from .tables.control import INTRINSICS

_MEMORY = (
    ("const", 64 << 10, ("__constant__ variables", "pass large tables in global memory")),
    ("global", 1 << 30, ("__device__ variables", "allocate large arrays with cudaMalloc")),
)


class Resources(Protocol):
    """The resources that ptxas gives to each thread of a kernel."""

    registers: int
    stack_bytes: int

    @property
    def spilled_bytes(self) -> int:
        """The bytes of registers that a thread stores and loads."""

    @property
    def spills_much(self) -> bool:
        """Whether the spills are large enough for a note."""


def no_resources() -> Mapping[str, Resources]:
    """Return that the resources of no kernel are known."""
    return {}


def emit_module(
    module: PtxModule,
    counters: Collection[str] = (),
    resources: Callable[[], Mapping[str, Resources]] = no_resources,
) -> str:
    """The C++ text for a module: the same text for the same PTX."""
    return _ModuleEmitter(module, counters, resources).emit()


def _cpp_string(text: str) -> str:
    escaped = "".join(
        char if char.isprintable() and char.isascii() and char not in '"\\' else "?" for char in text
    )
    return f'"{escaped}"'


def shared_variables(statements: tuple[Statement, ...]) -> list[Variable]:
    """The shared variables that a body declares, in all its scopes."""
    found: list[Variable] = []
    for statement in statements:
        if isinstance(statement, Variable) and statement.space == "shared":
            found.append(statement)
        elif isinstance(statement, Scope):
            found += shared_variables(statement.statements)
    return found


def _is_dynamic(variable: Variable) -> bool:
    """Return whether the launch gives the size of the shared `variable`."""
    return variable.external or not variable.size_bytes


class _ModuleEmitter:
    def __init__(
        self,
        module: PtxModule,
        counters: Collection[str],
        resources: Callable[[], Mapping[str, Resources]],
    ) -> None:
        self._module = module
        self._ask_resources = resources
        self._names = CppNames()
        self._symbols: dict[str, Symbol] = {}
        self._locations = Locations(module.files)
        self._functions = self._defined_functions()
        self._unit = Unit(
            counts_doubles=not keeps_doubles(self._functions.values()),
            # A problem that asks for dp4a means it.
            counts_narrow_products="dot_product_instructions" not in counters
            and not uses_tensor_cores(self._functions.values()),
            counters=frozenset(counters),
        )
        # A .func's shared variables belong to the module, so every caller has them.
        self._common = [variable for variable in module.variables if variable.space == "shared"]
        for function in self._functions.values():
            if not function.is_entry:
                self._common += shared_variables(function.body or ())
        self._common_layout = lay_out(tuple(self._common))
        self._memory = {
            variable.name: variable for variable in module.variables if variable.space in ("global", "const")
        }

    def _defined_functions(self) -> dict[str, Function]:
        functions: dict[str, Function] = {}
        for function in self._module.functions:
            if function.body is not None or function.name not in functions:
                functions[function.name] = function
        return functions

    def emit(self) -> str:
        self._check_memory()
        self._name_everything()
        variables = [self._variable(variable) for variable in self._memory.values()]
        translator = FunctionTranslator(self._unit, self._locations, self._symbols, self._names)
        layouts = {name: self._layout(function) for name, function in self._functions.items()}
        bodies = [
            self._body(translator, function, layouts[name]) for name, function in self._functions.items()
        ]
        headers = ["semantics", *(f"semantics_{name}" for name in sorted(self._unit.headers))]
        statements = [statement for _, extra in variables for statement in extra]
        return "\n".join(
            (
                *(f'#include "{header}.h"' for header in headers),
                "namespace warpcourt::cpu {",
                *(f"static {SIGNATURE.format(self._cpp(name))};" for name in self._functions),
                *(text for text, _ in variables),
                *bodies,
                *self._tables(layouts),
                f"static void initialise() {{ {' '.join(statements)} }}",
                self._module_record(),
                "}  // namespace warpcourt::cpu",
                "",
            )
        )

    def _check_memory(self) -> None:
        for space, limit_bytes, advice in _MEMORY:
            variables = [variable for variable in self._memory.values() if variable.space == space]
            size_bytes = sum(variable.size_bytes for variable in variables)
            if size_bytes > limit_bytes:
                largest = max(variables, key=lambda variable: variable.size_bytes)
                raise MemoryExceeded(
                    f"{advice[0]} need {size_bytes} bytes, and the limit is {limit_bytes}; "
                    f"{advice[1]} (the largest is {largest.name[:100]})"
                )

    def _cpp(self, name: str) -> str:
        symbol = self._symbols[name]
        return symbol.cpp if isinstance(symbol, FunctionSymbol) else ""

    def _name_everything(self) -> None:
        for name, function in self._functions.items():
            self._symbols[name] = FunctionSymbol(self._names.fresh("f", name), function)
        for name, variable in self._memory.items():
            cpp = self._names.fresh("v", name)
            self._symbols[name] = VariableSymbol(f"u64({cpp})", variable.space, variable.size_bytes)
        for variable, offset in zip(self._common, self._common_layout.offsets, strict=True):
            address = "u64(T->dynamic_offset)" if _is_dynamic(variable) else f"{offset}ull"
            self._symbols[variable.name] = VariableSymbol(
                address, "shared", variable.size_bytes, is_static=not _is_dynamic(variable)
            )
        for alias, name in self._module.aliases.items():
            if name in self._symbols:
                self._symbols[alias] = self._symbols[name]

    def _variable(self, variable: Variable) -> tuple[str, tuple[str, ...]]:
        symbol = self._symbols[variable.name]
        cpp = symbol.address[4:-1] if isinstance(symbol, VariableSymbol) else ""
        return define(variable, cpp, self._symbols)

    def _layout(self, function: Function) -> tuple[dict[str, int], Layout]:
        """Return the offsets of a function's static shared variables, and the shared bytes per block."""
        own = [variable for variable in shared_variables(function.body or ()) if variable.size_bytes]
        if not function.is_entry:
            return {
                variable.name: offset
                for variable, offset in zip(self._common, self._common_layout.offsets, strict=True)
                if variable in own
            }, self._common_layout
        layout = lay_out(tuple(own), self._common_layout.size_bytes)
        return {variable.name: offset for variable, offset in zip(own, layout.offsets, strict=True)}, layout

    def _body(
        self, translator: FunctionTranslator, function: Function, layout: tuple[dict[str, int], Layout]
    ) -> str:
        if function.body is not None:
            return translator.translate(function, layout[0])
        head = f"static {SIGNATURE.format(self._cpp(function.name))}"
        if function.name in INTRINSICS:
            return f"{head} {{ {INTRINSICS[function.name]} }}"
        return f'{head} {{ wc_unsupported(T, "call of the undefined function {function.name[:100]}", 0); }}'

    def _tables(self, layouts: dict[str, tuple[dict[str, int], Layout]]) -> list[str]:
        lines: list[str] = []
        records: list[str] = []
        polls = polling(self._functions.values())
        resources = self._ask_resources()
        for name, function in self._functions.items():
            if function.body is None:
                continue
            parameters = lay_out(function.parameters)
            pairs = ", ".join(
                f"{{{offset}, {variable.size_bytes}}}"
                for variable, offset in zip(function.parameters, parameters.offsets, strict=True)
            )
            list_name = self._names.fresh("p", name)
            lines.append(f"static const Parameter {list_name}[] = {{{pairs or '{0, 0}'}}};")
            arrays = self._shared_records(function, layouts[name][0])
            arrays_name = self._names.fresh("s", name)
            lines.append(f"static const SharedArray {arrays_name}[] = {{{', '.join(arrays) or '{}'}}};")
            records.append(
                f"{{{_cpp_string(name)}, {self._cpp(name)}, {list_name}, {len(function.parameters)}, "
                f"{parameters.size_bytes}, {layouts[name][1].size_bytes}, {function.max_threads}, "
                f"{str(function.is_entry).lower()}, "
                f"{str(name in polls).lower()}, {self._unit.starts.get(name, 0)}, "
                f"{_resource_record(resources.get(name))}, {arrays_name}, {len(arrays)}}}"
            )
        lines.append(_array("Kernel", "kernels", records))
        lines.append(_array("Variable", "variables", [self._variable_record(name) for name in self._memory]))
        table = self._locations.called_from(self._unit.calls)
        places = [f"{{{_cpp_string(file)}, {line}}}" for file, line in table]
        lines.append(_array("Location", "locations", places))
        ways = [f"{{{', '.join(map(str, way))}}}" for way in self._unit.ways]
        lines.append(_array("Way", "ways", ways))
        lines.append(_array("DoubleLine", "doubles", self._double_lines()))
        counted = [f'{{"{kind}", {location}}}' for kind, location in self._unit.counted]
        lines.append(_array("CountedInstruction", "counted", counted))
        return lines

    def _shared_records(self, function: Function, offsets: Mapping[str, int]) -> list[str]:
        """Return the records of the shared arrays of a kernel, whose own ones have `offsets`."""
        if not function.is_entry:
            return []
        own = shared_variables(function.body or ())
        placed = {
            variable.name: (offsets[variable.name], variable) for variable in own if variable.size_bytes
        }
        for variable, offset in zip(self._common, self._common_layout.offsets, strict=True):
            placed[variable.name] = (offset, variable)
        dynamic = [name for name, (_, variable) in placed.items() if _is_dynamic(variable)]
        if len(dynamic) > 1:  # names of the same memory
            placed = {name: found for name, found in placed.items() if name not in dynamic}
        return [
            f"{{{_cpp_string(source_name(name))}, {offset}, {variable.size_bytes}, "
            f"{str(_is_dynamic(variable)).lower()}}}"
            for name, (offset, variable) in placed.items()
        ]

    def _double_lines(self) -> list[str]:
        defined = [name for name, function in self._functions.items() if function.body is not None]
        indices = {name: index for index, name in enumerate(defined)}
        return [
            f"{{{indices[name]}, {location}, {count}}}"
            for (name, location), count in self._unit.doubles.items()
        ]

    def _variable_record(self, name: str) -> str:
        variable = self._memory[name]
        symbol = self._symbols[name]
        cpp = symbol.address[4:-1] if isinstance(symbol, VariableSymbol) else ""
        constant = str(variable.space == "const").lower()
        return f"{{{_cpp_string(name)}, {cpp}, {variable.size_bytes}, {constant}}}"

    def _module_record(self) -> str:
        kernel_count = sum(function.body is not None for function in self._functions.values())
        return (
            '[[gnu::visibility("default")]] extern const Module warpcourt_module = {'
            f"kernels, {kernel_count}, variables, {len(self._memory)}, "
            f"locations, {len(self._locations.table)}, ways, {len(self._unit.ways)}, "
            f"doubles, {len(self._unit.doubles)}, counted, {len(self._unit.counted)}, "
            f"{self._unit.site_count}, initialise}};"
        )


def _resource_record(found: Resources | None) -> str:
    if found is None:
        return "{}"
    spills_much = str(found.spills_much).lower()
    return f"{{true, {found.registers}, {found.spilled_bytes}, {found.stack_bytes}, {spills_much}}}"


def _array(cpp_type: str, name: str, records: list[str]) -> str:
    body = ",\n".join(records) or "{}"
    return f"static const {cpp_type} {name}[] = {{\n{body}}};"
