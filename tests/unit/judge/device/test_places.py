"""Tests the input of the comparison kernels, and how their results are read."""

import numpy as np
import pytest

from judge.dtypes import narrow, widen
from judge.gpu.device.places import OVERFLOW, PLACE, read_places, shared_places, tiles_of
from judge.runner.comparison import SHOWN_MISMATCHES
from problems.vocabulary import Dtype
from tests.unit.judge.outputs import Output, make_output

FLOATS = [dtype for dtype in Dtype if dtype.is_float]


@pytest.mark.parametrize("dtype", FLOATS)
def test_overflow_begins_where_the_host_rounds_to_infinity(dtype: Dtype) -> None:
    limit = OVERFLOW[dtype]
    with np.errstate(over="ignore"):
        stored = widen(narrow(np.array([limit, -limit, np.nextafter(limit, 0)]), dtype), dtype)
    assert stored[0] == np.inf
    assert stored[1] == -np.inf
    assert np.isfinite(stored[2])


def places_of(output: Output) -> np.ndarray:
    """Return what the kernels would find, computed by the rule of the host."""
    wrong = output.compared_on_the_host()
    places = np.zeros(SHOWN_MISMATCHES, PLACE)
    for slot, mismatch in enumerate(wrong.mismatches):
        at = np.ravel_multi_index(mismatch.index, output.shape)
        got = output.got[at : at + 1]
        want = output.expected[at : at + 1]
        places[slot] = (
            at,
            got.view(f"u{got.itemsize}")[0],
            want.view(f"u{want.itemsize}")[0],
            mismatch.got == "never written",
        )
    return places


@pytest.mark.parametrize("dtype", list(Dtype))
@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 50)])
def test_places_are_told_as_the_host_tells_them(dtype: Dtype, shape: tuple[int, ...]) -> None:
    output = make_output(dtype, shape, seed=3, wrong=0.5, unwritten=0.3, special=0.2)
    host = output.compared_on_the_host()
    found = read_places(
        output.argument,
        shape,
        wrong=host.mismatched,
        unwritten=host.unwritten,
        places=places_of(output),
    )
    assert found == host


def test_tiles_cover_every_element() -> None:
    assert [tiles_of(count) for count in (0, 1, 2048, 2049)] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("words", "shares"),
    [
        ([5_000_000], [1024]),
        ([1], [1024]),
        ([1, 5_000_000], [1, 1023]),
        ([5_000_000, 2, 5_000_000], [511, 2, 511]),
        ([600, 400], [624, 400]),
        ([4_000, 4_000, 4_000], [341, 341, 342]),
    ],
)
def test_small_outputs_have_a_place_for_each_word_and_others_share_the_rest(
    words: list[int], shares: list[int]
) -> None:
    found = shared_places(words, 1024)
    assert sum(found) == 1024
    assert found == shares
