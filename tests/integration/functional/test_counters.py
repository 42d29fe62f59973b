"""Branches, atomic operations, repeated loads, double precision: counts agree with models of the kernels."""

import json
from collections.abc import Iterator
from contextlib import closing
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from judge.cases import ORDERS
from judge.evidence.counts import KernelCounts, parse_counts
from judge.evidence.diagnostics import parse_diagnostics
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "counters.cu").read_text()
N, BLOCK, WARP = 4096, 256, 32
X = np.random.default_rng(1).random(N, np.float32)
COUNTED = ORDERS[0] | RunFlag.COUNT


class Kernel(IntEnum):
    """The kernels of the source, by the number that chooses them."""

    ALTERNATING = 0
    BY_WARP = 1
    BY_DATA = 2
    MODULO_TREE = 3
    HALVING_TREE = 4
    GUARDED = 5
    SUM_OF_ALL = 6
    SHARED_SUM = 7
    SPREAD = 8
    SKEWED = 9
    NAIVE_PRODUCT = 10
    TILED_PRODUCT = 11
    COEFFICIENTS = 12
    GATHERED = 13
    ACCIDENTAL = 14
    SINGLE = 15


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def notes(runner: Runner, kind: Kernel, flags: RunFlag = COUNTED) -> list[dict[str, object]]:
    """Return the notes of one call about lines, without those that only explain wrong answers."""
    outcome = runner.call(X, np.zeros(N, np.float32), N, kind, flags=flags)
    assert outcome.status is None
    return [said for said in outcome.diagnostics if said["kind"] not in {"launch", "counts", "rounded_sum"}]


def only(runner: Runner, kind: Kernel, comment: str) -> tuple[object, str]:
    """The kind and message of the only note of a call, which is about the line with that comment."""
    (said,) = notes(runner, kind)
    assert (said["line"], said["severity"]) == (marked_lines(SOURCE, comment)[0], "note")
    return said["kind"], str(said["message"])


def split(taken: NDArray[np.bool_]) -> str:
    """Return the note about a branch that warps take as the rows of `taken` say."""
    ones = taken.sum(axis=1)
    fewer = np.minimum(ones, WARP - ones)[(ones > 0) & (ones < WARP)]
    lanes = f"into {WARP - fewer.mean():.1f} and {fewer.mean():.1f} lanes"
    return f"warps split in {len(fewer)} of {len(taken)} executions of this branch, on average {lanes}"


def test_a_branch_that_alternates_is_named_with_its_lanes(runner: Runner) -> None:
    kind, message = only(runner, Kernel.ALTERNATING, "alternating")
    assert kind == "divergent_branch"
    assert split(np.arange(N).reshape(-1, WARP) % 2 == 0) in message
    assert "128 of 128" in message


def test_a_branch_on_data_is_counted_as_in_the_data(runner: Runner) -> None:
    kind, message = only(runner, Kernel.BY_DATA, "data")
    assert kind == "divergent_branch"
    assert split(X.reshape(-1, WARP) > np.float32(0.9)) in message


def test_the_copies_of_an_unrolled_branch_are_counted_as_one(runner: Runner) -> None:
    kind, message = only(runner, Kernel.MODULO_TREE, "modulo")
    threads = np.arange(N).reshape(-1, WARP) % BLOCK
    steps = [threads % (2 << step) == 0 for step in range(8)]
    assert kind == "divergent_branch"
    assert split(np.concatenate(steps)) in message


def test_atomic_operations_on_one_address_are_named(runner: Runner) -> None:
    kind, message = only(runner, Kernel.SUM_OF_ALL, "one address")
    assert kind == "contended_atomic"
    assert "128 warps made 128 atomic requests to global memory" in message
    assert "on average 32.0 of 32.0 lanes updated one address" in message
    kind, message = only(runner, Kernel.SHARED_SUM, "shared address")
    assert "128 warps made 128 atomic requests to shared memory" in message


def test_the_lanes_at_one_address_are_counted_as_in_the_data(runner: Runner) -> None:
    kind, message = only(runner, Kernel.SKEWED, "skewed")
    bins = np.where(np.float32(0.8) <= X, (X * np.float32(1000)).astype(int), 0).reshape(-1, WARP)
    most = np.mean([np.unique(warp, return_counts=True)[1].max() for warp in bins])
    assert kind == "contended_atomic"
    assert f"on average {most:.1f} of 32.0 lanes updated one address" in message


def test_loads_of_a_naive_product_are_counted(runner: Runner) -> None:
    kind, message = only(runner, Kernel.NAIVE_PRODUCT, "again and again")
    assert kind == "redundant_loads"
    # Each of 32 warps loads the 32 x 32 floats of b once; those of a are the same for all lanes.
    assert f"8.0 times from global memory: {32 * 4096} bytes in all" in message
    assert f"instead of {4 * 4096} if each block loaded each byte only once." in message


def test_loads_are_counted_as_in_a_model_of_the_addresses(runner: Runner) -> None:
    kind, message = only(runner, Kernel.GATHERED, "gathered")
    places = (np.arange(N)[:, None] + np.arange(16) ** 2 * 5) % 512
    requests = places.reshape(-1, WARP, 16).swapaxes(1, 2).reshape(-1, WARP)
    loaded = 4 * sum(len(np.unique(request)) for request in requests)
    different = 4 * sum(len(np.unique(block)) for block in places.reshape(-1, BLOCK * 16))
    assert kind == "redundant_loads"
    assert f"{loaded / different:.1f} times" in message
    assert f"{loaded} bytes in all" in message
    assert f"instead of {different} if each block loaded each byte only once." in message


def test_double_precision_by_accident_is_named(runner: Runner) -> None:
    kind, message = only(runner, Kernel.ACCIDENTAL, "double")
    assert kind == "double_precision"
    assert "this line makes 1 instruction in double precision" in message


@pytest.mark.parametrize(
    "kind",
    [
        Kernel.BY_WARP,
        Kernel.HALVING_TREE,
        Kernel.GUARDED,
        Kernel.SPREAD,
        Kernel.TILED_PRODUCT,
        Kernel.COEFFICIENTS,
        Kernel.SINGLE,
    ],
)
def test_what_wastes_little_is_not_named(runner: Runner, kind: Kernel) -> None:
    assert notes(runner, kind) == []


def counted(runner: Runner, kind: Kernel) -> KernelCounts:
    """The sums of the only kernel of a call."""
    outcome = runner.call(X, np.zeros(N, np.float32), N, kind, flags=COUNTED)
    said = [json.dumps(entry).encode() for entry in outcome.diagnostics]
    (counts,) = parse_counts(parse_diagnostics(b"\n".join(said)))
    return counts


def test_a_kernel_has_sums_also_if_it_wastes_nothing() -> None:
    warps = N // WARP
    with closing(Runner(SOURCE)) as runner:
        total = counted(runner, Kernel.SUM_OF_ALL)
        split = counted(runner, Kernel.ALTERNATING)
        other = counted(runner, Kernel.HALVING_TREE)
    assert (total.atomic_requests, total.atomic_turns) == (warps, N)
    assert (total.global_requests, total.sectors, total.necessary_sectors) == (warps, 4 * warps, 4 * warps)
    assert (split.branches, split.divergent_branches) == (warps, warps)
    assert other.wavefronts == other.necessary_wavefronts == other.shared_requests > 0


def test_other_runs_do_not_count() -> None:
    with closing(Runner(SOURCE)) as runner:
        for kind in (Kernel.ALTERNATING, Kernel.SUM_OF_ALL, Kernel.NAIVE_PRODUCT, Kernel.ACCIDENTAL):
            assert notes(runner, kind, ORDERS[0]) == []
            assert notes(runner, kind, RunFlag.COUNT) == []


def test_doubles_in_an_array_are_meant() -> None:
    source = """
    __global__ void scale(const double* x, double* out) { out[threadIdx.x] = x[threadIdx.x] * 0.1; }
    extern "C" void solve(const double* x, double* out) { scale<<<1, 64>>>(x, out); }
    """
    with closing(Runner(source)) as runner:
        outcome = runner.call(np.ones(64), np.zeros(64), flags=COUNTED)
        assert [said["kind"] for said in outcome.diagnostics] == ["launch", "counts"]
