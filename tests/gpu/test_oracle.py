"""The oracle on a GPU, as a plain process: every problem's reference with CuPy, against NumPy."""

import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.drawn import CaseData, expected_name, inputs, layout, outputs
from judge.dtypes import expected_dtype, storage, widen
from judge.oracle import Oracle
from judge.scalars import with_scalars
from judge.sizes import scalar_of, shape_of
from problems.loader import load_problem, problems_root
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Group, Role
from sandbox.gpu.runners import of_this_process, oracle_command
from sandbox.runner import vmm
from sandbox.spec import Limits
from sandbox.wire import ExitStatus
from tests.gpu.bare import opened_device, talk_to
from tests.integration.sandbox import test_oracle_runner as on_the_host
from tests.integration.sandbox.talk import Talk

pytestmark = pytest.mark.gpu

LIMITS = Limits(wall_s=120, cpu_s=120, memory_mib=16384)
SLUGS = sorted(path.parent.name for path in problems_root().glob("*/problem.toml"))
Start = Callable[[], Talk]


@pytest.fixture(scope="module")
def device() -> Iterator[vmm.Device]:
    if not find_spec("cupy"):
        pytest.skip("no CuPy")
    with opened_device() as opened:
        yield opened


@pytest.fixture
def start(device: vmm.Device, tmp_path: Path) -> Iterator[Start]:
    started: list[Talk] = []

    def begin() -> Talk:
        command = oracle_command(of_this_process(), limits=LIMITS, gpu=None)
        started.append(talk_to(command, tmp_path, device))
        return started[-1]

    yield begin
    for talk in started:
        talk.close()


@pytest.fixture
def talk(start: Start) -> Talk:
    oracle = start()
    assert oracle.prepare(), oracle.end().stdout
    return oracle


class DeviceSet:
    """A drawn set in device memory, as the secret pool has them."""

    def __init__(self, device: vmm.Device, problem: Problem, case: Case) -> None:
        self.problem = problem
        parts, size_bytes = layout(problem, case)
        self._memory = vmm.Allocation.create(device, size_bytes)
        self.drawn = CaseData(case, parts, size_bytes, self._memory.export())

    def array(self, name: str, argument: Argument, *, expected: bool) -> np.ndarray[Any, Any]:
        part = next(part for part in self.drawn.parts if part.name == name)
        dtype = expected_dtype(argument.dtype) if expected else argument.dtype
        stored = np.frombuffer(self._memory.read(part.size_bytes, part.offset), storage(dtype))
        return stored.reshape(shape_of(argument, self.drawn.case.sizes))

    def inputs(self) -> dict[str, np.ndarray[Any, Any]]:
        return {a.name: self.array(a.name, a, expected=False) for a in inputs(self.problem)}

    def expected(self) -> dict[str, np.ndarray[Any, Any]]:
        return {a.name: self.array(expected_name(a), a, expected=True) for a in outputs(self.problem)}

    def close(self) -> None:
        self.drawn.close()
        self._memory.close()


def on_numpy(problem: Problem, case: Case, given: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    """Return what the reference computes from the same inputs with NumPy."""
    names: dict[str, Any] = {}
    exec(compile(problem.reference, "reference.py", "exec"), names)
    arguments = {
        a.name: stored(a, case) if a.role is Role.SCALAR else widen(given[a.name], a.dtype)
        for a in problem.arguments
        if a.role is not Role.OUT
    }
    return names["reference"](np, **arguments)


def stored(argument: Argument, case: Case) -> float:
    """The value of a scalar as a program receives it: rounded to the argument's dtype."""
    return np.dtype(storage(argument.dtype)).type(scalar_of(argument, case)).item()


def has_large_case(slug: str) -> bool:
    """Whether the problem has one: those that ask for tests have none."""
    cases = load_problem(problems_root() / slug).cases
    return any(case.group is Group.LARGE for case in cases)


def checked_cases(problem: Problem) -> list[Case]:
    """The samples, and the first of every other group that runs on a CPU. Drawn scalars have their values."""
    groups = (Group.SMALL, Group.ODD, Group.LARGE)
    firsts = (next((case for case in problem.cases if case.group is group), None) for group in groups)
    samples = [case for case in problem.cases if case.group is Group.SAMPLE]
    return [with_scalars(problem, case, 1) for case in (*samples, *firsts) if case]


@pytest.mark.parametrize("slug", SLUGS)
def test_references_agree_with_numpy(start: Start, device: vmm.Device, slug: str) -> None:
    problem = load_problem(problems_root() / slug)
    with Oracle(problem, start().process, lambda: False, gpu=True) as oracle:
        for case in checked_cases(problem):
            drawn = DeviceSet(device, problem, case)
            oracle.fill(drawn.drawn, 1)
            given, expected = drawn.inputs(), drawn.expected()
            drawn.close()
            for name, values in on_numpy(problem, case, given).items():
                np.testing.assert_allclose(
                    expected[name], values, rtol=1e-10, atol=1e-9, err_msg=f"{case.name}: {name}"
                )


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if has_large_case(slug)])
def test_seeds_decide_the_inputs(start: Start, device: vmm.Device, slug: str) -> None:
    problem = load_problem(problems_root() / slug)
    case = next(case for case in problem.cases if case.group is Group.LARGE)
    drawn: list[dict[str, np.ndarray[Any, Any]]] = []
    with Oracle(problem, start().process, lambda: False, gpu=True) as oracle:
        for seed in (2**127 + 5, 2**127 + 5, 6):
            held = DeviceSet(device, problem, case)
            oracle.fill(held.drawn, seed)
            drawn.append(held.inputs())
            held.close()
    for name, values in drawn[0].items():
        np.testing.assert_array_equal(values, drawn[1][name])
        assert not np.array_equal(values, drawn[2][name])


@pytest.mark.parametrize("slug", SLUGS)
def test_timed_cases_are_drawn(
    start: Start, device: vmm.Device, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = load_problem(problems_root() / slug)
    timed = [case for case in problem.cases if case.group is Group.TIMED]
    with Oracle(problem, start().process, lambda: False, gpu=True) as oracle:
        for case in timed:
            held = DeviceSet(device, problem, case)
            took = []
            for seed in (1, 2):
                started = time.perf_counter()
                oracle.fill(held.drawn, seed)
                took.append(f"{time.perf_counter() - started:.2f}")
            held.close()
            with capsys.disabled():
                sys.stdout.write(f"\n{slug} {case.name}: drawn in {' s, again '.join(took)} s\n")


def test_a_warm_oracle_fills_small_sets_in_milliseconds(
    start: Start, device: vmm.Device, capsys: pytest.CaptureFixture[str]
) -> None:
    """The secret pool's latency rests on it: no draw compiles anything, and none returns memory."""
    problem = load_problem(problems_root() / "vector-add")
    small = [case for case in problem.cases if case.group in {Group.SMALL, Group.ODD}]
    with Oracle(problem, start().process, lambda: False, gpu=True) as oracle:
        took_ms: list[float] = []
        for round_number in range(5):
            for case in small:
                held = DeviceSet(device, problem, case)
                started = time.perf_counter()
                oracle.fill(held.drawn, round_number)
                took_ms.append(1000 * (time.perf_counter() - started))
                held.close()
    first, warm = took_ms[0], sorted(took_ms[len(small) :])
    with capsys.disabled():
        sys.stdout.write(f"\nfirst fill {first:.1f} ms, warm {warm[0]:.2f} to {warm[-1]:.2f} ms\n")
    assert warm[len(warm) // 2] < 20


def test_every_step_of_the_contract(talk: Talk) -> None:
    assert talk.load(on_the_host.GENERATE + on_the_host.REFERENCE, on_the_host.MANIFEST)
    a, data, untouched, expected_data, expected_c = on_the_host.draw(talk, 2**127 + 12345)
    assert (np.abs(a) <= 1).all()
    assert len(np.unique(a)) == 5
    np.testing.assert_array_equal(data, np.full(5, 0x3F81))  # above the tie, so it rounds up
    np.testing.assert_array_equal(expected_data, np.full(5, 3 * (1 + 2**-7)))
    np.testing.assert_array_equal(expected_c, np.arange(5))
    np.testing.assert_array_equal(untouched, np.zeros(5))


def test_stated_inputs_are_kept_and_the_others_drawn(talk: Talk) -> None:
    assert talk.load(on_the_host.GENERATE + on_the_host.REFERENCE, on_the_host.MANIFEST)
    a, data, *_ = on_the_host.draw(talk, a=on_the_host.STATED)
    assert a.tobytes() == on_the_host.STATED.tobytes()
    np.testing.assert_array_equal(data, np.full(5, 0x3F81))


@pytest.mark.parametrize(
    ("generate", "words"),
    [
        ("{'a': rng.choice(3)}", "rng.choice is not available on every target"),
        ("{'a': rng.random(4), 'data': xp.zeros(5)}", "has shape (4,), not (5,)"),
        ("{'a': rng.random(5), 'data': xp.full(5, xp.nan)}", "not finite in bfloat16"),
    ],
)
def test_a_broken_contract_names_itself(talk: Talk, generate: str, words: str) -> None:
    source = f"def generate(xp, rng, size):\n    return {generate}\n" + on_the_host.REFERENCE
    assert talk.load(source, on_the_host.MANIFEST)
    assert not talk.run(on_the_host.arguments(), seed=1, dtypes={1: "bfloat16"})
    (finding,) = talk.findings()
    assert words in finding["message"]
    assert talk.end().status == ExitStatus.RUNTIME_ERROR


def test_the_generator_draws_what_it_says(talk: Talk) -> None:
    check = """
def generate(xp, rng, size):
    n = 1 << 20
    uniform = rng.random(n)
    assert uniform.min() >= 0 and uniform.max() < 1 and abs(float(uniform.mean()) - 0.5) < 0.01
    assert rng.random(n, dtype=xp.float32).dtype == xp.float32
    between = rng.uniform(-3, 5, (n,))
    assert between.min() >= -3 and between.max() <= 5 and abs(float(between.mean()) - 1) < 0.05
    normal = rng.standard_normal((2, n), dtype=xp.float32)
    assert normal.shape == (2, n) and normal.dtype == xp.float32 and abs(float(normal.std()) - 1) < 0.01
    shifted = rng.normal(10, 2, n)
    assert abs(float(shifted.mean()) - 10) < 0.05 and abs(float(shifted.std()) - 2) < 0.05
    whole = rng.integers(-2, 3, n)
    assert int(whole.min()) == -2 and int(whole.max()) == 2 and whole.dtype == xp.int64
    small = rng.integers(0, 7, n, dtype=xp.int8, endpoint=True)
    assert small.dtype == xp.int8 and int(small.max()) == 7
    assert rng.random().shape == ()
    return {"a": xp.zeros(size["n"]), "data": xp.zeros(size["n"])}
"""
    assert talk.load(check + on_the_host.REFERENCE, on_the_host.MANIFEST)
    assert talk.run(on_the_host.arguments(), dtypes={1: "bfloat16"}), talk.findings()


def test_it_stays_on_the_gpu(talk: Talk) -> None:
    source = (
        "def generate(xp, rng, size):\n"
        "    assert xp.__name__ == 'cupy'\n"
        "    return {'a': rng.random(5), 'data': rng.random(5)}\n"
        "def reference(xp, a, data, k):\n"
        "    assert type(a).__module__.startswith('cupy')\n"
        "    return {'data': data, 'c': xp.zeros(5, xp.int32)}\n"
    )
    assert talk.load(source, on_the_host.MANIFEST)
    assert talk.run(on_the_host.arguments(), dtypes={1: "bfloat16"}), talk.findings()
