"""Logs of real compilers about wrong programs (nvcc 13.0): each mistake is one finding on its line.

`corpus/NAME.cu` is the program, and `corpus/NAME.log` the log of compiling it for vector-add.
"""

from pathlib import Path

import pytest

from judge.compiler import compile_findings
from judge.compiler.advice import advice_on
from judge.compiler.log import LogEntry
from judge.compiler.source import ProgramText
from judge.report import Diagnostic
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Severity

CORPUS = Path(__file__).parent / "corpus"
WANTED = "void solve(const float* a, const float* b, float* c, int n)"
FIRST = {
    "undeclared": (3, 'Identifier "threadidx" is undefined. Did you mean "threadIdx"?'),
    "syncthread": (4, 'Identifier "__syncthread" is undefined. Did you mean "__syncthreads"?'),
    "semicolon": (4, 'Expected a ";". Look at the end of line 3.'),
    "brace": (6, 'Expected a "}". The block that starts here is never closed.'),
    "extra_brace": (9, "Expected a declaration. There is an extra closing brace, here or earlier."),
    "host_from_device": (
        5,
        (
            'Calling a __host__ function("twice(float)") from a __global__ function("add") is not allowed. '
            "Put __device__ before the declaration of twice."
        ),
    ),
    "host_call": (
        5,
        (
            'Calling a __host__ function("rand") from a __global__ function("add") is not allowed. '
            "It runs on the host only."
        ),
    ),
    "device_wait": (
        12,
        (
            'Calling a __host__ function("cudaDeviceSynchronize") from a __global__ function("sum") is not '
            "allowed. It runs on the host only. The threads of a block wait for each other with "
            "__syncthreads(). A kernel cannot wait for other kernels: launch the work that must follow after "
            "them."
        ),
    ),
    "launch_noconfig": (
        7,
        (
            "A __global__ function call must be configured. "
            "Write a launch as kernel<<<blocks, threads>>>(arguments)."
        ),
    ),
    "launch_in_kernel": (
        7,
        (
            "Kernel launch from __device__ or __global__ functions requires separate compilation mode. "
            "This problem does not allow launches from device code. Launch the kernel from solve."
        ),
    ),
    "launch_type": (
        7,
        (
            'No suitable constructor exists to convert from "const float *" to "dim3". '
            "Write a launch as kernel<<<blocks, threads>>>(arguments). Both are integers or dim3."
        ),
    ),
    "launch_argtype": (
        7,
        (
            'Argument of type "int" is incompatible with parameter of type "const float *". '
            "Pass the arguments in the order in which they are declared."
        ),
    ),
    "const_drop": (
        7,
        (
            'Argument of type "const float *" is incompatible with parameter of type "float *". '
            "Inputs must not be changed. If the function only reads the parameter, declare it const."
        ),
    ),
    "missing_header": (
        1,
        "cuda_runtimes.h: No such file or directory. Did you mean <cuda_runtime.h>?",
    ),
    "missing_half": (4, 'Identifier "__float2half" is undefined. Include <cuda_fp16.h>.'),
    "type_mismatch": (
        3,
        'A value of type "unsigned int" cannot be used to initialize an entity of type "int *".',
    ),
    "template_error": (2, 'Expression must have class type but it has type "float", instantiated on line 5.'),
    "std_template": (
        7,
        ('No operator "<" matches these operands (operand types are: P < P), in code from predefined_ops.h.'),
    ),
    "thrust": (
        11,
        (
            'No operator "<" matches these operands (operand types are: const P < const P), '
            "in code from operations.h."
        ),
    ),
    "static_assert": (
        2,
        'Static assertion failed with "N must be a multiple of 32", instantiated on line 8.',
    ),
    "shared_dyn": (
        3,
        (
            "A variable length array cannot have static storage duration. Use a constant "
            "size, or extern __shared__ with the size as the third launch parameter."
        ),
    ),
    "python": (
        1,
        (
            'Identifier "import" is undefined. '
            "This looks like Python, but the language of this submission is CUDA C++."
        ),
    ),
    "unclosed_comment": (9, "Unterminated comment. It is never closed, so all later code is part of it."),
    "nonascii": (
        3,
        (
            "Extended character  is not valid in an identifier. "
            "Characters copied from a web page may look right and still be different. Type them again."
        ),
    ),
    "wmma": (
        5,
        (
            'Name followed by "::" must be a class or namespace name, and "wmma" is none. '
            "Include <mma.h> and write nvcuda::wmma."
        ),
    ),
    "line_directive": (
        None,
        'Identifier "threadidx" is undefined, in other.cu. Did you mean "threadIdx"?',
    ),
    "solve_syntax_in_sig": (6, 'Expected a ")".'),
    "no_solve": (None, f"The program does not define solve. This problem calls {WANTED}."),
    "wrong_name": (
        6,
        f"The program does not define solve; it defines Solve on line 6. This problem calls {WANTED}.",
    ),
    "solve_types": (
        6,
        (
            "solve is declared with (int*, int), but this problem calls it with "
            "(const float* a, const float* b, float* c, int n)."
        ),
    ),
    "solve_short": (
        6,
        (
            "solve is declared with (const float*, const float*, float*, short), "
            "but this problem calls it with (const float* a, const float* b, float* c, int n). "
            "Argument 4 of solve, n, must be int."
        ),
    ),
    "solve_overload": (
        6,
        f"The program defines solve more than once, so the call is ambiguous. Declare it as {WANTED}.",
    ),
    "solve_template": (
        6,
        f"solve must be a plain function, but this one is a template. Declare it as {WANTED}.",
    ),
    "solve_namespace": (
        7,
        (
            "solve is not in the global scope. "
            f"Move it out of its namespace or class, and declare it as {WANTED}."
        ),
    ),
    "solve_struct": (None, f"solve must be a function, but this one is a type. Declare it as {WANTED}."),
    "solve_variable": (
        None,
        f"solve must be a function, but this one is a variable of type int*. Declare it as {WANTED}.",
    ),
    "solve_global": (2, f"solve must be a host function, but this one is a kernel. Declare it as {WANTED}."),
    "asm_bad": (None, "Unknown modifier '.op'."),
    "undef_ref": (2, 'Undefined reference to "helper". It is declared, but the program does not define it.'),
    "undef_dev": (
        2,
        'Unresolved extern function "helper". It is declared, but the program does not define it.',
    ),
    "solve_declared": (
        6,
        'Undefined reference to "solve". It is declared, but the program does not define it.',
    ),
}


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(problems_root() / "vector-add")


def found_in(name: str, problem: Problem) -> tuple[Diagnostic, ...]:
    log, source = CORPUS / f"{name}.log", CORPUS / f"{name}.cu"
    return compile_findings(log.read_text("utf-8"), source.read_text("utf-8"), problem)


@pytest.mark.parametrize("name", [path.stem for path in sorted(CORPUS.glob("*.log"))])
def test_the_first_finding_names_the_line_and_what_to_do(name: str, problem: Problem) -> None:
    found = found_in(name, problem)
    if name in FIRST:
        assert (found[0].line, found[0].message) == FIRST[name]
    assert all(finding.severity == "error" and "binding" not in finding.message for finding in found)


@pytest.mark.parametrize("name", [name for name in FIRST if name.startswith(("solve_", "no_", "wrong_"))])
def test_a_mistake_in_the_declaration_of_solve_is_one_finding(name: str, problem: Problem) -> None:
    found = [finding for finding in found_in(name, problem) if finding.kind == "signature"]
    assert len(found) == (0 if name in {"solve_syntax_in_sig", "solve_declared"} else 1)


def test_every_error_is_told_once_and_in_order(problem: Problem) -> None:
    told = [(finding.line, finding.message.partition(".")[0]) for finding in found_in("two_errors", problem)]
    assert told[:3] == [
        (3, 'Identifier "threadidx" is undefined'),
        (4, 'Identifier "aa" is undefined'),
        (7, 'Expected a ">>>"'),
    ]
    assert len(set(told)) == len(told)


def test_what_follows_from_another_error_is_not_told(problem: Problem) -> None:
    assert len(found_in("host_from_device", problem)) == 1


def test_there_are_no_more_findings_than_anyone_reads(problem: Problem) -> None:
    assert len(found_in("many", problem)) == 16


@pytest.mark.parametrize(
    ("header", "advice"),
    [
        ("cuda_fp16.h", "This installation does not have this header. Write the code without it."),
        ("cuda_fp6.h", "Did you mean <cuda_fp16.h>?"),
    ],
)
def test_a_known_header_that_is_missing_is_not_suggested(header: str, advice: str) -> None:
    entry = LogEntry(Severity.ERROR, f"{header}: No such file or directory", line=1)
    assert advice_on(entry, ProgramText.read("")) == advice
