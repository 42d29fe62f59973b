"""The oracle runner, in its sandbox."""

import json
from collections.abc import Iterator

import numpy as np
import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import oracle_command
from sandbox.spec import Limits
from sandbox.wire import ExitStatus, RunFlag
from tests.integration.sandbox.talk import Talk

pytestmark = pytest.mark.integration

MANIFEST = {
    "arguments": [
        {"name": "a", "role": "in", "dtype": "float32"},
        {"name": "data", "role": "inout", "dtype": "bfloat16"},
        {"name": "c", "role": "out", "dtype": "int32"},
        {"name": "k", "role": "scalar", "dtype": "int32"},
    ],
    "sizes": ["n"],
    "expected": ["data", "c"],
}
GENERATE = """
def generate(xp, rng, size):
    return {"a": rng.uniform(-1, 1, size["n"]), "data": xp.full(size["n"], 1 + 2**-8 + 2**-20)}
"""
REFERENCE = """
def reference(xp, a, data, k):
    assert a.dtype == data.dtype == xp.float64
    a[:] = 0
    return {"data": data * k, "c": xp.arange(len(a))}
"""


@pytest.fixture
def talk(backend: Bubblewrap) -> Iterator[Talk]:
    with Talk(backend, oracle_command(Limits(wall_s=60, cpu_s=60, memory_mib=512))) as started:
        yield started


def arguments(n: int = 5) -> list[np.ndarray | tuple[str, int]]:
    return [
        np.zeros(n, np.float32),
        np.zeros(n, np.uint16),
        np.zeros(n, np.int32),
        ("int32", 3),
        ("int64", n),
        np.zeros(n, np.float64),
        np.zeros(n, np.int32),
    ]


def draw(talk: Talk, seed: int = 7, **stated: np.ndarray) -> list[np.ndarray]:
    given = arguments()
    said = json.dumps({name: array.tobytes().hex() for name, array in stated.items()}).encode()
    extra = {"flags": RunFlag.GIVEN, "stated": said} if stated else {}
    assert talk.run(given, seed=seed, dtypes={1: "bfloat16"}, **extra)
    return [value for value in given if isinstance(value, np.ndarray)]


def test_draws_from_the_seed_and_computes_from_what_was_rounded(talk: Talk) -> None:
    assert talk.load(GENERATE + REFERENCE, MANIFEST)
    seed = 2**127 + 12345
    a, data, untouched, expected_data, expected_c = draw(talk, seed)
    drawn = np.random.Generator(np.random.PCG64(seed)).uniform(-1, 1, 5)
    np.testing.assert_array_equal(a, drawn.astype(np.float32))
    assert data.tolist() == [0x3F81] * 5  # above the tie, so it rounds up
    np.testing.assert_array_equal(expected_data, np.full(5, 3 * (1 + 2**-7)))
    assert expected_c.tolist() == [0, 1, 2, 3, 4]
    assert untouched.tolist() == [0] * 5
    assert not np.array_equal(draw(talk, 1)[0], draw(talk, 2)[0])
    assert np.array_equal(draw(talk, 1)[0], draw(talk, 1)[0])


STATED = np.array([1, np.inf, -0.0, np.nan, 2**-149], np.float32)


def test_stated_inputs_need_no_generator(talk: Talk) -> None:
    assert talk.load("def generate(xp, rng, size): raise RuntimeError\n" + REFERENCE, MANIFEST)
    a, data, _, expected_data, _ = draw(talk, a=STATED, data=np.full(5, 0x3F80, np.uint16))
    assert a.tobytes() == STATED.tobytes()
    assert data.tolist() == [0x3F80] * 5
    assert expected_data.tolist() == [3.0] * 5


def test_inputs_that_a_case_does_not_state_are_drawn(talk: Talk) -> None:
    assert talk.load(GENERATE + REFERENCE, MANIFEST)
    plain, stated = draw(talk), draw(talk, a=STATED)
    assert stated[0].tobytes() == STATED.tobytes()
    assert stated[1].tolist() == plain[1].tolist() == [0x3F81] * 5


@pytest.mark.parametrize(
    ("source", "words", "line"),
    [
        ("def generate(xp, rng, size):\n    return {}\n" + REFERENCE, "returned [], expected", None),
        ("def generate(xp, rng, size):\n    return 1\n" + REFERENCE, "not a dict", None),
        (GENERATE.replace('size["n"])', 'size["n"] + 1)') + REFERENCE, "has shape (6,), not (5,)", None),
        (GENERATE.replace("rng.uniform(-1, 1,", "xp.full(").replace("n", "n") + REFERENCE, "full", 3),
        (GENERATE.replace("2**-20", "xp.nan") + REFERENCE, "not finite in bfloat16", None),
        (GENERATE + REFERENCE.replace("xp.arange(len(a))", "xp.arange(len(a)) * 2**40"), "do not fit", None),
        (GENERATE + REFERENCE.replace("xp.arange(len(a))", "a"), "holds floats, expected int32", None),
        (GENERATE + REFERENCE.replace("data * k", "data / nothing"), "nothing", 8),
    ],
)
def test_a_broken_contract_names_itself(talk: Talk, source: str, words: str, line: int | None) -> None:
    assert talk.load(source, MANIFEST)
    assert not talk.run(arguments(), seed=1, dtypes={1: "bfloat16"})
    (finding,) = talk.findings()
    assert finding["kind"] == "oracle"
    assert words in finding["message"]
    assert finding["line"] == line
    assert talk.end().status == ExitStatus.RUNTIME_ERROR


def test_a_missing_function_cannot_be_loaded(talk: Talk) -> None:
    assert not talk.load(GENERATE, MANIFEST)
    assert "not define a function named reference" in talk.findings()[0]["message"]
    assert talk.end().status == ExitStatus.LOAD_ERROR
