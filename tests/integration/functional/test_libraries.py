"""Tests cuBLAS and cuFFT in functional mode: results equal NumPy's, and wrong calls get errors."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner

pytestmark = pytest.mark.integration
KERNELS = Path(__file__).parent / "kernels"
Array = NDArray[Any]
RNG = np.random.default_rng(5)
A, B, C = (RNG.standard_normal(64).astype(np.float32) for _ in range(3))


def columns(flat: Array) -> Array:
    """The 8 x 8 matrix that is stored by columns, which can be changed."""
    return flat.reshape(8, 8).T


def flat(matrix: Array) -> Array:
    """Its elements by columns."""
    return matrix.T.ravel()


def within(rows: int, width: int, values: Array) -> Array:
    """C with its first rows and columns replaced."""
    out = C.astype(np.float64)
    columns(out)[:rows, :width] = values
    return out


def leading(values: Any, step: int = 1) -> Array:
    """C with its first elements replaced."""
    out = C.astype(np.float64)
    out[: len(values) * step : step] = values
    return out


def tf32(values: Array) -> Array:
    bits = (values.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return bits.view(np.float32).astype(np.float64)


def symmetric(matrix: Array, triangle: Callable[[Array], Array]) -> Array:
    part = triangle(matrix)
    return part + part.T - np.diag(np.diag(part))


def swapped() -> Array:
    out = C.astype(np.float64)
    out[0] = a8 @ b8
    out[8:16] = out[8:16] * out[0] + B[0] * a8
    out[16:20], out[20:24] = C[20:24], C[16:20]
    out[24:32] = a8[::-1]
    return out


a, b, c = (columns(x.astype(np.float64)) for x in (A, B, C))
a8, b8 = A[:8].astype(np.float64), B[:8].astype(np.float64)
halves = [columns(x.astype(np.float16).astype(np.float64)) for x in (A, B)]
small = [[x[16 * i : 16 * i + 16].reshape(4, 4).T.astype(np.float64) for i in range(4)] for x in (A, B)]
pairs = [x[:8].astype(np.float64).view(np.complex128).reshape(2, 2).T for x in (A, B)]
EXPECTED: list[Callable[[], Array]] = [
    lambda: within(5, 3, 2 * a[:5, :4] @ b[:4, :3] + 0.5 * c[:5, :3]),
    lambda: within(5, 3, a[:4, :5].T @ b[:4, :3]),
    lambda: within(5, 3, a[:5, :4] @ b[:3, :4].T),
    lambda: np.concatenate([(small[0][i] @ small[1][0]).T.ravel() for i in range(4)]),
    lambda: np.concatenate(
        [(small[0][2] @ small[1][2]).T.ravel(), C[16:32], (small[0][0] @ small[1][0]).T.ravel(), C[48:]]
    ),
    lambda: flat(halves[0] @ halves[1]),
    lambda: flat(columns(tf32(A)) @ columns(tf32(B))),
    lambda: leading(a[:5, :3] @ b8[:6:2] + 0.5 * C[:5]),
    lambda: leading(2 * a[:5, :3].T @ b8[4::-1], 2),
    lambda: within(5, 3, c[:5, :3] + 2 * np.outer(a8[:5], b8[:6:2])),
    lambda: within(5, 3, a[:3, :5].T + 2 * b[:5, :3]),
    lambda: within(5, 3, a[:5, :3] * b8[:3]),
    lambda: within(4, 4, np.tril(a[:4, :3] @ a[:4, :3].T + c[:4, :4]) + np.triu(c[:4, :4], 1)),
    lambda: within(4, 3, symmetric(a[:4, :4], np.triu) @ b[:4, :3]),
    lambda: within(4, 3, 2 * c[:4, :3] @ np.linalg.inv(np.tril(a[:3, :3]).T)),
    lambda: leading(np.linalg.solve(np.triu(a[:4, :4], 1) + np.eye(4), C[:4].astype(np.float64))),
    lambda: leading(symmetric(a[:4, :4], np.tril) @ b8[:4]),
    lambda: leading(
        [a8 @ b8, np.linalg.norm(a8), np.abs(A[:16:2].astype(np.float64)).sum(), np.abs(a8).argmax() + 1]
    ),
    swapped,
    lambda: np.zeros(64),
    lambda: leading((1j * pairs[0].conj().T @ pairs[1]).T.ravel().view(np.float64)),
]


@pytest.fixture(scope="module")
def products() -> Iterator[Runner]:
    with closing(Runner((KERNELS / "cublas.cu").read_text())) as opened:
        yield opened


@pytest.mark.parametrize("what", range(len(EXPECTED)))
def test_cublas_agrees_with_numpy(products: Runner, what: int) -> None:
    outcome = products.call(A, B, C.copy(), what, flags=RunFlag.RACES)
    assert outcome.status is None, outcome.diagnostics
    assert not [found for found in outcome.diagnostics if found["kind"] != "launch"]
    np.testing.assert_allclose(outcome.arrays[2], EXPECTED[what](), rtol=2e-5, atol=2e-5)


@pytest.fixture(scope="module")
def transforms() -> Iterator[Runner]:
    with closing(Runner((KERNELS / "cufft.cu").read_text())) as opened:
        yield opened


def complexes(flat: Array, batch: int, n: int) -> Array:
    return flat.view(np.complex64 if flat.dtype == np.float32 else np.complex128)[: batch * n].reshape(
        batch, n
    )


BATCH = 3
FFTS: list[Callable[[Array, int], Array]] = [
    lambda x, n: np.fft.fft(complexes(x, BATCH, n)),
    lambda x, n: np.fft.ifft(complexes(x, BATCH, n)) * n,
    lambda x, n: np.fft.rfft(x[: BATCH * n].reshape(BATCH, n)),
    lambda x, n: np.fft.irfft(complexes(x, BATCH, n // 2 + 1), n) * n,
    lambda x, n: np.fft.fft(complexes(x, BATCH, n)),
    lambda x, n: np.fft.rfft(x[: BATCH * n].reshape(BATCH, n)),
    lambda x, n: np.fft.irfft(complexes(x, BATCH, n // 2 + 1), n) * n,
    lambda x, n: np.fft.fft2(complexes(x, BATCH, n)),
    lambda x, n: np.fft.rfft2(x[: BATCH * n].reshape(BATCH, n)),
    lambda x, n: np.fft.irfft2(np.fft.rfft2(real_pairs(x, n)), (BATCH, n)) * n * BATCH,
    lambda x, n: np.fft.fftn(complexes(x, BATCH, n // 2 * 2).reshape(BATCH, 2, n // 2)),
    lambda x, n: np.fft.fft(complexes(x, BATCH, n), axis=0),
    lambda x, n: np.fft.rfft(x[: BATCH * 2 * (n // 2 + 1)].reshape(BATCH, -1)[:, :n]),
]


def real_pairs(x: Array, n: int) -> Array:
    return x[: BATCH * n].reshape(BATCH, n)


@pytest.mark.parametrize("what", range(len(FFTS)))
@pytest.mark.parametrize("n", [1, 2, 8, 30, 49, 67, 128, 134])
def test_cufft_agrees_with_numpy(transforms: Runner, what: int, n: int) -> None:
    if what == 10 and n < 2:
        pytest.skip("a plan needs elements in each dimension")
    size = 2 * BATCH * (n + 2)
    wide = np.random.default_rng(n).standard_normal(size)
    given = wide.astype(np.float32)
    if what == 9:  # what is half of a spectrum needs the symmetry of one
        half = np.fft.rfft2(real_pairs(given, n)).astype(np.complex64).ravel()
        source = np.concatenate([half.view(np.float32), np.zeros(size, np.float32)])[:size]
    else:
        source = given
    outcome = transforms.call(
        source, np.zeros(size, np.float32), wide, np.zeros(size), n, BATCH, what, flags=RunFlag.RACES
    )
    assert outcome.status is None, outcome.diagnostics
    doubles = what in {4, 5, 6}
    expected = FFTS[what](wide if doubles else given, n).ravel()
    out = outcome.arrays[3 if doubles else 1]
    found: Array = out.view(np.complex128 if doubles else np.complex64) if np.iscomplexobj(expected) else out
    np.testing.assert_allclose(
        found[: expected.size], expected, rtol=1e-12 if doubles else 1e-4, atol=1e-11 if doubles else 1e-4
    )
    assert not out[expected.size * (2 if np.iscomplexobj(expected) else 1) :].any() or what == 12


@pytest.fixture
def wrong() -> Iterator[Runner]:
    with closing(Runner((KERNELS / "cublas_wrong.cu").read_text())) as opened:
        yield opened


def call(runner: Runner, what: int, flags: RunFlag = RunFlag.RACES) -> Outcome:
    return runner.call(A, C.copy(), np.zeros(1, np.int32), what, flags=flags)


@pytest.mark.parametrize(
    ("what", "status", "words"),
    [
        (0, 7, "cublasSgemm: lda is 7, but A has 8 rows in memory. cuBLAS stores matrices by columns"),
        (1, 1, "the handle was not created; call cublasCreate first (CUBLAS_STATUS_NOT_INITIALIZED)"),
        (9, 8, "cufftPlan1d: a length is 0 (CUFFT_INVALID_SIZE)"),
        (10, 1, "cufftExecR2C: the plan is of another type"),
        (12, 1, "cufftDestroy: the plan was not created"),
    ],
)
def test_wrong_arguments_give_the_status_and_the_reason(
    wrong: Runner, what: int, status: int, words: str
) -> None:
    outcome = call(wrong, what)
    assert outcome.status is None
    assert outcome.arrays[2][0] == status
    assert words in outcome.finding("cuda_error")["message"]
    assert (outcome.arrays[1] == C).all()


@pytest.mark.parametrize("flags", [RunFlag.NONE, RunFlag.RACES])
@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [
        (2, "out_of_bounds", "read of 4 bytes from argument a: element 64 of 64, in cublasSgemm, argument B"),
        (3, "host_pointer", "read of 4 bytes from host memory at"),
        (
            11,
            "out_of_bounds",
            "write of 8 bytes to argument c: elements 64 to 65 of 64, in cufftExecR2C, argument odata",
        ),
    ],
)
def test_what_an_operation_may_not_touch_ends_the_program(
    wrong: Runner, what: int, kind: str, words: str, flags: RunFlag
) -> None:
    outcome = call(wrong, what, flags)
    assert outcome.status is not None
    assert words in outcome.finding(kind)["message"]


def test_a_read_of_uninitialised_memory_is_a_warning(wrong: Runner) -> None:
    found = call(wrong, 4).finding("uninitialised")
    assert found["severity"] == "warning"
    assert "element 0 of 64" in found["message"]
    assert ", in cublasSgemm, argument B" in found["message"]


def test_a_scalar_in_the_wrong_memory_is_named(wrong: Runner) -> None:
    outcome = call(wrong, 5)
    assert outcome.status is not None
    assert any("cublasSgemm" in found["message"] for found in outcome.diagnostics), outcome.diagnostics


def test_an_operation_is_ordered_with_its_stream(wrong: Runner) -> None:
    right = (a @ a).T.ravel() + 1
    unordered = [call(wrong, 6, flags) for flags in ORDERS]
    hazard = unordered[0].finding("stream_hazard")
    assert "cublasSgemm in stream 1 writes it" in hazard["message"]
    verdicts = [np.allclose(outcome.arrays[1], right, atol=1e-4) for outcome in unordered]
    assert verdicts[0]
    assert not all(verdicts)
    for flags in ORDERS:
        ordered = call(wrong, 7, flags)
        assert np.allclose(ordered.arrays[1], right, atol=1e-4)
        assert {found["kind"] for found in ordered.diagnostics} <= {"launch"}


def test_a_handle_that_is_never_destroyed_is_a_leak(wrong: Runner) -> None:
    call(wrong, 8)
    leak = call(wrong, 8).finding("leak")
    assert "without freeing 1 handle of a library" in leak["message"]


def test_an_operation_counts_as_a_launch(products: Runner) -> None:
    outcome = products.call(A, B, C.copy(), 18, flags=RunFlag.RACES | RunFlag.COUNT | RunFlag.SUMS)
    assert "launches=5 " in outcome.finding("sums")["message"]


def test_a_program_that_declares_a_call_itself_does_not_load() -> None:
    source = """
        extern "C" int cublasCreate(void** handle);
        extern "C" void solve(float* c) {
          void* handle;
          cublasCreate(&handle);
        }
    """
    with pytest.raises(AssertionError, match="undefined symbol: cublasCreate"):
        Runner(source)
