"""Matrix operations of a warp, in 32 lanes, against NumPy and the documented positions of elements."""

import ctypes

import numpy as np
import pytest

from .forms_matrix import PRODUCTS, ROW_KERNELS, SIZES_BYTES, Product, product_kernel
from .harness import HEADER, Compiled

pytestmark = pytest.mark.xdist_group("translator-matrix")  # compiled once, not in every process

_DTYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "tf32": np.float32,
    "s8": np.int8,
    "s32": np.int32,
    "f64": np.float64,
}
_LANES = 32


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    kernels = "\n".join(product_kernel(product, index) for index, product in enumerate(PRODUCTS))
    return Compiled(f"{HEADER}{kernels}\n{ROW_KERNELS}", tmp_path_factory.mktemp("matrix"))


def _bytes(kind: str, value: float) -> bytes:
    if kind == "bf16":
        return np.float32(value).tobytes()[2:]
    return np.array(value, _DTYPES[kind]).tobytes()


def _fragments(product: Product, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bytes:
    image = b""
    for lane in range(_LANES):
        for matrix, place, kind in (
            (a, product.a, product.factor),
            (b, product.b, product.factor),
            (c, product.c, product.total),
        ):
            for element in range(matrix.size // _LANES):
                image += _bytes(kind, matrix[place(lane, element)])
    return image


@pytest.mark.parametrize("index", range(len(PRODUCTS)), ids=[product.opcode for product in PRODUCTS])
def test_mma_multiplies(compiled: Compiled, index: int) -> None:
    product = PRODUCTS[index]
    rng = np.random.default_rng(index)
    # Small integers: sums are exact whatever their order.
    a = rng.integers(-4, 5, (product.rows, product.depth))
    b = rng.integers(-4, 5, (product.depth, product.columns))
    c = rng.integers(-9, 10, (product.rows, product.columns))
    out_bytes = c.size // _LANES * SIZES_BYTES[product.total]
    raw = compiled.run_warp(index, _fragments(product, a, b, c), out_bytes)
    got = np.frombuffer(raw, _DTYPES[product.total]).reshape(_LANES, -1)
    expected = a @ b + c
    for lane in range(_LANES):
        for element in range(got.shape[1]):
            assert got[lane, element] == expected[product.c(lane, element)]


def _matrices() -> np.ndarray:
    return np.arange(4 * 8 * 8, dtype=np.uint16).reshape(4, 8, 8)


def test_ldmatrix_and_movmatrix_distribute_rows(compiled: Compiled) -> None:
    tiles = _matrices()
    raw = np.frombuffer(compiled.run_warp(len(PRODUCTS), tiles.tobytes(), 36), np.uint16).reshape(
        _LANES, 9, 2
    )
    for lane in range(_LANES):
        row, column = lane // 4, lane % 4 * 2
        for matrix in range(4):
            assert raw[lane, matrix].tolist() == tiles[matrix, row, column : column + 2].tolist()
            assert raw[lane, 4 + matrix].tolist() == tiles[matrix].T[row, column : column + 2].tolist()
        assert raw[lane, 8].tolist() == tiles[0].T[row, column : column + 2].tolist()


def test_stmatrix_is_the_inverse_of_ldmatrix(compiled: Compiled) -> None:
    fragments = np.arange(_LANES * 4, dtype=np.uint32)
    raw = np.frombuffer(compiled.run_warp(len(PRODUCTS) + 1, fragments.tobytes(), 16), np.uint32)
    assert raw.tolist() == fragments.tolist()


def test_wmma_multiplies_tiles_in_memory(compiled: Compiled) -> None:
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-4, 5, (16, 16)).astype(np.float16) for _ in range(2))
    transposed = np.ascontiguousarray(b.T)  # the kernel reads B by columns
    d = np.zeros((16, 16), np.float32)
    pointers = [array.ctypes.data_as(ctypes.c_void_p).value or 0 for array in (a, transposed, d)]
    compiled.run_warp(len(PRODUCTS) + 2, np.array(pointers * _LANES, np.uint64).tobytes(), 8)
    assert (d == a.astype(np.float32) @ b.astype(np.float32) + 1).all()
