"""The Triton runner, in its sandbox."""

import textwrap
from collections.abc import Iterator

import numpy as np
import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import triton_command
from sandbox.spec import Limits, Termination
from sandbox.wire import ExitStatus
from tests.integration.sandbox.talk import Talk

pytestmark = pytest.mark.integration

MANIFEST = {
    "arguments": [
        {"name": "a", "role": "in", "dtype": "float32"},
        {"name": "c", "role": "out", "dtype": "float32"},
        {"name": "n", "role": "scalar", "dtype": "int32"},
    ]
}
HEAD = """\
import torch
import triton
import triton.language as tl

@triton.jit
def double(a, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    {load}
    tl.store(c + i, 2 * x, mask=i < n)

def solve(a, c, n):
    double[(triton.cdiv(n, 32),)](a, c, n, BLOCK=32)
"""
MASKED = HEAD.format(load="x = tl.load(a + i, mask=i < n)")
UNMASKED = HEAD.format(load="x = tl.load(a + i)")


@pytest.fixture
def talk(backend: Bubblewrap) -> Iterator[Talk]:
    with Talk(backend, triton_command(Limits(wall_s=120, cpu_s=120, memory_mib=1024))) as started:
        yield started


def arguments(n: int = 70) -> list[np.ndarray | tuple[str, int]]:
    return [np.arange(n, dtype=np.float32), np.full(n, -1, np.float32), ("int32", n)]


def test_computes_on_shared_memory(talk: Talk) -> None:
    assert talk.load(MASKED, MANIFEST)
    given = arguments()
    assert talk.run(given)
    np.testing.assert_array_equal(given[1], 2 * np.arange(70, dtype=np.float32))
    launches = [finding for finding in talk.findings() if finding["kind"] == "launch"]
    assert [finding["kernel"] for finding in launches] == ["double"]
    assert talk.run(arguments(1))


def test_a_program_may_name_the_device_of_a_gpu(talk: Talk) -> None:
    call = "double[(triton.cdiv(n, 32),)](a, c, n, BLOCK=32)"
    body = """double[(triton.cdiv(n, 32),)](a, torch.empty(n, device="cuda"), n, BLOCK=32)
    out = torch.zeros_like(a, device=torch.device("cuda:0"))
    double[(triton.cdiv(n, 32),)](a.cuda(), out, n, BLOCK=32)
    torch.cuda.synchronize()
    c.copy_(out) if a.is_cuda and c.device.type == "cuda" else None"""
    assert talk.load(MASKED.replace(call, body), MANIFEST)
    given = arguments()
    assert talk.run(given)
    np.testing.assert_array_equal(given[1], 2 * np.arange(70, dtype=np.float32))


def test_a_launch_copies_no_tensor_to_the_host(talk: Talk) -> None:
    assert talk.load(MASKED, MANIFEST)
    given = arguments(100_000)  # more than a program may copy to the host
    assert talk.run(given), talk.findings()
    np.testing.assert_array_equal(given[1], 2 * np.arange(100_000, dtype=np.float32))


def test_notes_say_once_where_a_gpu_differs(talk: Talk) -> None:
    load = """x = tl.load(a + i, mask=i < n)
    square = tl.dot(x[:, None] + tl.zeros((32, 32), tl.float32), tl.zeros((32, 32), tl.float32))
    x += tl.sum(square, axis=1)"""
    assert talk.load(HEAD.format(load=load), MANIFEST)
    assert talk.run(arguments())
    assert talk.run(arguments())
    notes = [finding for finding in talk.findings() if finding["kind"] != "launch"]
    assert [(note["severity"], note["kind"], note["line"]) for note in notes] == [
        ("note", "precision", 9),  # in the first block, which excludes nothing
        ("note", "masked_load", 8),
    ]


def test_an_unmasked_load_is_an_illegal_access(talk: Talk) -> None:
    assert talk.load(UNMASKED, MANIFEST)
    assert not talk.run(arguments(70))
    finding = talk.findings()[-1]
    assert finding["kind"] == "out_of_bounds"
    assert "reads element 70 of a, which has 70" in finding["message"]
    assert finding["line"] == 8
    assert finding["block"] == [2, 0, 0]
    assert talk.end().status == ExitStatus.ILLEGAL_ACCESS


@pytest.mark.parametrize(
    ("source", "kind", "line", "words"),
    [
        ("def solve(:\n  pass", "syntax", 1, "SyntaxError"),
        ("import torch\n\nx = 1 / 0\n", "load", 3, "ZeroDivisionError"),
        ("import sys\nsys.exit(0)\n", "load", 2, "SystemExit"),
        ("x = 1\n", "load", None, "not define a function named solve"),
    ],
)
def test_what_cannot_be_loaded(talk: Talk, source: str, kind: str, line: int | None, words: str) -> None:
    assert not talk.load(source, MANIFEST)
    (finding,) = talk.findings()
    assert (finding["kind"], finding["line"]) == (kind, line)
    assert words in finding["message"]
    assert talk.end().status == ExitStatus.LOAD_ERROR


@pytest.mark.parametrize(
    ("body", "status", "line", "words"),
    [
        ("return helper(a)", ExitStatus.RUNTIME_ERROR, 2, "ValueError: bad (called from line 5)"),
        ("raise SystemExit(0)", ExitStatus.RUNTIME_ERROR, 5, "SystemExit"),
        ("torch.empty(1 << 45)", ExitStatus.MEMORY_LIMIT, 5, "allocate"),
        ("while True: pass", ExitStatus.TIME_LIMIT, 5, "limit of 1 s"),
    ],
)
def test_what_goes_wrong_in_solve(talk: Talk, body: str, status: int, line: int, words: str) -> None:
    source = f"def helper(a):\n    raise ValueError('bad')\nimport torch\ndef solve(a, c, n):\n    {body}\n"
    assert talk.load(source, MANIFEST)
    assert not talk.run(arguments(), time_limit_ms=1000)
    finding = talk.findings()[-1]
    assert words in finding["message"]
    assert finding["line"] == line
    assert talk.end().status == status


def test_errors_inside_a_kernel_name_its_line(talk: Talk) -> None:
    assert talk.load(HEAD.format(load="x = tl.load(a + i) + missing"), MANIFEST)
    assert not talk.run(arguments(32))
    finding = talk.findings()[-1]
    assert "missing" in finding["message"]
    assert finding["line"] == 8


@pytest.mark.parametrize(
    ("load", "place"),
    [
        ("x = a[i]", "a[i]"),
        ("c[i] = tl.load(a + i, mask=i < n)", "c[i]"),
        ("x = tl.load(a + i, mask=i < n)[0]", "tl.load(a + i, mask=i < n)[0]"),
        ("x = tl.load(a + i, mask=i < n)\n    x[0] = 1.0", "x[0]"),
    ],
)
def test_an_index_of_a_pointer_or_a_block_is_explained(talk: Talk, load: str, place: str) -> None:
    assert talk.load(HEAD.format(load=load), MANIFEST)
    assert not talk.run(arguments())
    finding = talk.findings()[-1]
    assert (finding["kind"], finding["line"]) == ("compile", 8 + load.count("\n"))
    assert f"kernel double: {place} is not possible. A pointer has no elements" in finding["message"]


def test_a_block_has_no_single_truth_value(talk: Talk) -> None:
    assert talk.load(HEAD.format(load="if i < n:\n        x = tl.load(a + i)"), MANIFEST)
    assert not talk.run(arguments())
    finding = talk.findings()[-1]
    assert "several values at once have no single truth value. Use a mask or tl.where" in finding["message"]
    assert finding["line"] == 8


@pytest.mark.parametrize(
    "mask",
    [
        "(i < n) and (i >= 0)",
        "not i >= n",
        "not (i < 0 or i >= n)",
        "n > 0 and i < n",
        "True and i < n and 1",
    ],
)
def test_operators_on_conditions_apply_to_each_element_of_a_block(talk: Talk, mask: str) -> None:
    given = arguments()
    assert talk.load(HEAD.format(load=f"x = tl.load(a + i, mask={mask}, other=0)"), MANIFEST)
    assert talk.run(given), talk.findings()
    np.testing.assert_array_equal(given[1], 2 * np.arange(70, dtype=np.float32))


def test_a_condition_on_one_value_is_right(talk: Talk) -> None:
    load = "x = tl.load(a + i, mask=i < n)\n    if tl.program_id(0) > 0 and n > 0:\n        x = 2 * x"
    given = arguments()
    assert talk.load(HEAD.format(load=load), MANIFEST)
    assert talk.run(given)
    factor = np.where(np.arange(70) < 32, 2, 4).astype(np.float32)
    np.testing.assert_array_equal(given[1], factor * np.arange(70, dtype=np.float32))


def test_an_empty_grid_is_told_once(talk: Talk) -> None:
    assert talk.load(MASKED.replace("triton.cdiv(n, 32)", "n // 128"), MANIFEST)
    assert talk.run(arguments())
    assert talk.run(arguments())
    (finding,) = (finding for finding in talk.findings() if finding["kind"] == "no_kernel")
    assert "double was launched with grid (0, 1, 1), so no program ran." in finding["message"]
    assert finding["line"] == 12


def test_every_dtype_arrives(talk: Talk) -> None:
    source = textwrap.dedent(
        """
        import torch

        def solve(*arguments):
            print([str(a.dtype) if hasattr(a, "dtype") else repr(a) for a in arguments])
            bits = arguments[1].view(torch.int16).numpy()
            bits += 0x80  # the next power of two
        """
    )
    assert talk.load(source, {"arguments": []})
    bfloat16 = np.array([0x3FC0, 0x4000], np.uint16)  # 1.5 and 2
    assert talk.run(
        [
            np.array([True, False]),
            bfloat16,
            np.zeros((2, 0), np.int8),
            np.zeros(3, np.uint32),
            ("float32", int.from_bytes(np.float32(0.5).tobytes(), "little")),
            ("int32", (-3) & (2**64 - 1)),
            ("bool", 1),
        ],
        dtypes={1: "bfloat16"},
    )
    assert bfloat16.tolist() == [0x4040, 0x4080]
    assert talk.findings()[-1]["kind"] == "no_kernel"
    talk.process.kill()
    said = talk.end().stdout.decode()
    assert said == "['torch.bool', 'torch.bfloat16', 'torch.int8', 'torch.uint32', '0.5', '-3', 'True']\n"


def test_a_segmentation_fault_speaks_for_itself(talk: Talk) -> None:
    assert talk.load("import ctypes\ndef solve(a, c, n):\n    ctypes.string_at(0)\n", MANIFEST)
    assert not talk.run(arguments())
    end = talk.end()
    assert (end.ending, end.status) == (Termination.SIGNALLED, 11)
