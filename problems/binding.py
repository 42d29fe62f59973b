"""Generates the CUDA binding, signatures and starters from a problem's signature."""

from problems.binding_python import python_type, signature_python, starter_python
from problems.formula import Formula
from problems.own_names import in_arguments
from problems.schema import Argument, Problem
from problems.vocabulary import ArrayMemory, Dtype, Language, Role

_ROLE_WORDS = {
    Role.IN: "input, must not be changed",
    Role.OUT: "output, holds random bits at first",
    Role.INOUT: "input and output, changed in place",
}
_ZEROED = "output, holds zeros at first"
_UNKNOWN = "?"  # a size that does not follow from the scalars
_MEMORY_WORDS = {
    ArrayMemory.DEVICE: "in device memory",
    ArrayMemory.HOST: "in pageable host memory",
    ArrayMemory.PINNED: "in pinned host memory",
}
_HEADERS = {Dtype.FLOAT16: "cuda_fp16.h", Dtype.BFLOAT16: "cuda_bf16.h"}

# Each mistake in the declaration of `solve` gives one error here; dependent checks are skipped.
# `judge.compiler.signature` parses these errors, including their texts and names.
_CHECKS = """\
namespace warpcourt_binding {
struct Missing {};
template <unsigned index, typename... Parameters> struct Nth { using type = Missing; };
template <unsigned index, typename First, typename... Rest>
struct Nth<index, First, Rest...> : Nth<index - 1, Rest...> {};
template <typename First, typename... Rest> struct Nth<0, First, Rest...> { using type = First; };
template <typename Given, typename Taken> constexpr bool takes_array() {
  return ::std::is_convertible<Given*, Taken>::value;
}
template <typename Given, typename Taken> constexpr bool takes_scalar() {
  using Value = typename ::std::decay<Taken>::type;
  // A call passes 32 and 64 bits in the same register, so many programs declare an int for a long long.
  constexpr bool whole = ::std::is_integral<Given>::value && ::std::is_integral<Value>::value;
  constexpr bool wide = sizeof(Value) >= sizeof(Given) || (whole && sizeof(Value) >= 4);
  return ::std::is_convertible<Given, Taken>::value && wide &&
         ::std::is_floating_point<Value>::value == ::std::is_floating_point<Given>::value;
}
template <bool fits> struct Caller {
  template <typename... Given> static void solve(Given...) {}
};
template <> struct Caller<true> {
  template <typename... Given> static void solve(Given... given) { ::solve(given...); }
};
"""
_DECLARED = """\
template <typename Other> struct Declared : Caller<false> {
  static_assert(sizeof(Other) == 0, "solve must be one function");
};
template <typename Result, typename... Parameters>
struct Declared<Result (*)(Parameters...)> : Caller<fits<Parameters...>()> {};
template <typename Result, typename... Parameters>
struct Declared<Result (*)(Parameters...) noexcept> : Declared<Result (*)(Parameters...)> {};
}  // namespace warpcourt_binding

using warpcourt_declared = warpcourt_binding::Declared<decltype(&::solve)>;
"""


def signature_cuda(problem: Problem) -> str:
    """Return the declaration of `solve` in CUDA C++, such as `void solve(const float* a, int n)`."""
    return f"void solve({', '.join(f'{_parameter_type(a)} {a.name}' for a in problem.arguments)})"


def signature_triton(problem: Problem) -> str:
    """Return the declaration of `solve` in Python, such as `def solve(a: torch.Tensor, n: int) -> None`."""
    return f"def solve({', '.join(f'{a.name}: {python_type(a)}' for a in problem.arguments)}) -> None"


def signature(problem: Problem, language: Language) -> str:
    """Return the declaration of `solve` in `language`."""
    return {
        Language.CUDA: signature_cuda,
        Language.TRITON: signature_triton,
        Language.PYTHON: signature_python,
    }[language](problem)


def binding_cuda(problem: Problem) -> str:
    """Return the file that is compiled. It includes `solution.cu` and calls its `solve`.

    `solve` may be `extern "C"` or not and may leave out `const`. A scalar integer may have another width of
    at least 32 bits. Any other difference from the signature is a compile error that names the argument.
    """
    arguments = problem.arguments
    includes = sorted({_HEADERS[a.dtype] for a in arguments if a.dtype in _HEADERS})
    names = "".join(f'\n    "{argument.name}",' for argument in arguments)
    return "\n".join(
        [
            '#include "solution.cu"',
            *(f"#include <{header}>" for header in includes),
            "#include <type_traits>",
            "",
            _CHECKS + _fits(problem) + _DECLARED,
            'extern "C" {',
            "extern const char* const warpcourt_argument_names[];",
            f"const char* const warpcourt_argument_names[] = {{{names}\n    nullptr,\n}};",
            "",
            "void warpcourt_call(void* const* warpcourt_arguments) {",
            "  warpcourt_declared::solve("
            + ",\n          ".join(_pass(a, i) for i, a in enumerate(arguments))
            + ");",
            "}",
            "}",
            "",
        ]
    )


def _fits(problem: Problem) -> str:
    """Return the function `fits`, which checks that `solve` accepts the arguments."""
    arguments = problem.arguments
    wanted = f"solve must take {len(arguments)} arguments: {signature_cuda(problem)}"
    return "\n".join(
        [
            "template <typename... Parameters> constexpr bool fits() {",
            f"  constexpr bool counts = sizeof...(Parameters) == {len(arguments)};",
            f'  static_assert(counts, "{wanted}");',
            "  if constexpr (counts) {",
            *(_assertion(argument, index) for index, argument in enumerate(arguments)),
            f"    return {' && '.join(f'fits_{index}' for index in range(len(arguments)))};",
            "  }",
            "  return false;",
            "}",
            "",
        ]
    )


def _assertion(argument: Argument, index: int) -> str:
    check = "takes_scalar" if argument.role is Role.SCALAR else "takes_array"
    wanted = f"argument {index + 1} of solve, {argument.name}, must be {_parameter_type(argument)}"
    taken = f"typename Nth<{index}, Parameters...>::type"
    return (
        f"    constexpr bool fits_{index} = {check}<{argument.dtype.c_type}, {taken}>();\n"
        f'    static_assert(fits_{index}, "{wanted}");'
    )


def _pass(argument: Argument, index: int) -> str:
    given = argument.dtype.c_type
    place = f"warpcourt_arguments[{index}]"
    if argument.role is Role.SCALAR:
        return f"*static_cast<const {given}*>({place})"
    return f"static_cast<{given}*>({place})"


def starter(problem: Problem, language: Language) -> str:
    """Return a starter: it compiles, explains every argument, and computes nothing."""
    if language is Language.PYTHON:
        return starter_python(problem, _explanations(problem))
    return _starter_cuda(problem) if language is Language.CUDA else _starter_triton(problem)


def _starter_cuda(problem: Problem) -> str:
    arguments = problem.arguments
    includes = ["cuda_runtime.h", *sorted({_HEADERS[a.dtype] for a in arguments if a.dtype in _HEADERS})]
    return "\n".join(
        [
            *(f"#include <{header}>" for header in includes),
            "",
            f"// {_placed(problem)}",
            *(f"//   {line}" for line in _explanations(problem)),
            f'extern "C" {signature_cuda(problem)} {{',
            f"    // {_task(arguments)}",
            "}",
            "",
        ]
    )


def _placed(problem: Problem) -> str:
    """Return a sentence on the memory of the arrays."""
    arguments = problem.arguments
    if problem.gpus > 1:
        return f"Arrays are in memory of {problem.gpus} devices. Device 0 is current when solve is called."
    if not any(argument.memory.on_host for argument in arguments):
        return "Arrays are in device memory, scalars are passed by value."
    return "Kernels can access device memory and pinned host memory. Scalars are passed by value."


def _task(arguments: tuple[Argument, ...]) -> str:
    if any(argument.memory.on_host for argument in arguments):
        return "Copy data to device memory, launch your kernels, and copy the results back."
    return "Launch your kernels here."


def _starter_triton(problem: Problem) -> str:
    return "\n".join(
        [
            "import torch",
            "import triton",
            "import triton.language as tl",
            "",
            "",
            "# Arrays are tensors, scalars are numbers. PyTorch may allocate and copy; kernels compute.",
            *(f"#   {line}" for line in _explanations(problem)),
            f"{signature_triton(problem)}:",
            "    # Launch your kernels here.",
            "    pass",
            "",
        ]
    )


def _explanations(problem: Problem) -> list[str]:
    arguments = problem.arguments
    width = max(len(argument.name) for argument in arguments)
    dropped = 1 if problem.ranks > 1 else 0
    return [
        f"{one.name:<{width}}  {_explain(one, arguments, _place(problem, one), dropped)}" for one in arguments
    ]


def _place(problem: Problem, argument: Argument) -> str:
    """Return the memory of an array; empty if all arrays are in device memory of a single GPU."""
    if problem.gpus > 1 and not argument.memory.on_host:
        return f" on device {argument.device}"
    return f" {_MEMORY_WORDS[argument.memory]}" if any(a.memory.on_host for a in problem.arguments) else ""


def _explain(argument: Argument, arguments: tuple[Argument, ...], place: str, dropped: int) -> str:
    """Describe an argument in terms of the others.

    `place` names the memory of an array. A rank gets arrays without the first `dropped` dimensions.
    """
    if argument.drawn:
        return f"{argument.dtype}, another value in each case"
    if argument.value is not None:
        others = tuple(other for other in arguments if other.name != argument.name)
        meaning = in_arguments(argument.value, others)
        if argument.value.names <= _sizes_by_name(arguments):
            meaning = argument.value.text
        return f"{argument.dtype}, {meaning}" if meaning else argument.dtype.value
    sizes = [_size(formula, arguments) for formula in argument.shape[dropped:]]
    words = _ZEROED if argument.zeroed else _ROLE_WORDS[argument.role]
    more = f"; see the statement for the size {_UNKNOWN}" if _UNKNOWN in sizes else ""
    return f"{argument.dtype}[{', '.join(sizes)}]{place}, {words}{more}"


def _size(formula: Formula, arguments: tuple[Argument, ...]) -> str:
    """Return a size of an array in terms of `arguments`.

    A size that does not follow from them stays a name.
    """
    named = formula.text in _sizes_by_name(arguments)
    return in_arguments(formula, arguments) or (formula.text if named else _UNKNOWN)


def _sizes_by_name(arguments: tuple[Argument, ...]) -> set[str]:
    """Return the array sizes that no scalar determines, which texts call by their own names."""
    names = {argument.name for argument in arguments}
    sizes = {formula.text: formula for argument in arguments for formula in argument.shape}
    return {
        text
        for text, formula in sizes.items()
        if text.isidentifier() and text not in names and in_arguments(formula, arguments) is None
    }


def _parameter_type(argument: Argument) -> str:
    if argument.role is Role.SCALAR:
        return argument.dtype.c_type
    return f"{'const ' if argument.role is Role.IN else ''}{argument.dtype.c_type}*"
