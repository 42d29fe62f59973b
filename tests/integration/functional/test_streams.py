"""Tests streams: missing order fails in one of the orders, and all other programs pass without findings."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import ExitStatus
from tests.integration.functional.harness import Outcome, Runner

pytestmark = pytest.mark.integration
KERNELS = Path(__file__).parent / "kernels"
N = 256
X = np.random.default_rng(1).integers(1, 1000, N).astype(np.int32)
# In the order of kPrograms in streams.cu, with words of the finding.
UNORDERED = {
    "no_wait": ("kernel add_one (line 4) in stream 1 writes it", "add_one (line 4) in stream 2 reads it"),
    "records_other_stream": ("stream 1 writes it", "stream 2 reads it"),
    "waits_before_record": ("stream 1 writes it", "stream 2 reads it"),
    "records_too_early": ("stream 1 writes it", "stream 2 reads it"),
    "default_stream": ("stream 1 writes it", "in the default stream reads it"),
    "after_default_stream": ("in the default stream writes it", "stream 1 reads it"),
    "double_buffer": (
        "kernel add_one (line 4) in stream 2 reads it",
        "cudaMemcpyAsync (device to device) in stream 1 writes it",
    ),
    "copies_back_early": ("stream 1 writes it", "cudaMemcpyAsync (device to host) in stream 2 reads it"),
    "waits_for_other_stream": ("stream 1 writes it", "stream 2 reads it"),
    "clears_late": ("cudaMemsetAsync in stream 2 writes it", "argument out"),
    "launches_graph": ("stream 1 writes it", "stream 2 reads it"),
    "reads_pinned": ("host code reads it", "cudaMemcpyAsync (device to host) in stream 1 may still write it"),
    "reads_managed": ("host code reads it", "kernel add_one in the default stream may still write it"),
    "reuses_source": ("host code writes it", "(host to device) in stream 1 may still read it"),
    "reads_managed_variable": (
        "variable values: host code reads it",
        "in the default stream may still write it",
    ),
    "asks_stream_once": ("host code reads it", "kernel add_one in stream 1 may still write it"),
    "asks_event_once": ("host code reads it", "kernel add_one in stream 1 may still write it"),
    "allocates_in_other_stream": (
        "cudaMallocAsync in stream 1 allocates it",
        "kernel add_one (line 4) in stream 2 writes it",
    ),
    "branches_of_graph": ("stream 1 writes it", "stream 2 reads it"),
}
# In the order of kPrograms in streams_apart.cu.
APART = (
    "halves",
    "columns",
    "atomics",
    "pageable",
    "host_function",
    "mapped_flag",
    "polls_event",
    "frees_in_order",
    "frees_early",
    "same_values",
    "keeps_a_buffer",
    "leaks_all",
    "frees_before_use",
    "launches_one_graph_in_two_streams",
)
FLAWED = ("frees_early", "same_values", "leaks_all", "frees_before_use")


@pytest.fixture(scope="module")
def kernels() -> dict[str, str]:
    return {name: (KERNELS / f"{name}.cu").read_text() for name in ("streams", "streams_apart")}


def outcomes(source: str, *scalars: int, times: int = 1) -> list[Outcome]:
    """How the program ends in each of the orders, `times` times, one runner for all."""
    runner = Runner(source)
    try:
        ended = []
        for flags in ORDERS * times:
            out = np.full(N, -7, np.int32)
            ended.append(runner.call(X, out, N, *scalars, flags=flags, time_limit_ms=20_000))
            if ended[-1].status is not None:
                break
        return ended
    finally:
        runner.close()


def findings(ended: list[Outcome], kind: str | None = None) -> list[dict[str, Any]]:
    return [
        finding
        for outcome in ended
        for finding in outcome.diagnostics
        if finding["kind"] == kind or (kind is None and finding["kind"] != "launch")
    ]


def right(outcome: Outcome) -> bool:
    return outcome.status is None and bool((outcome.arrays[1] == X + 2).all())


@pytest.mark.parametrize("name", UNORDERED)
def test_what_lacks_an_order_is_found_and_wrong_in_another_order_each_time(
    name: str, kernels: dict[str, str]
) -> None:
    ended = outcomes(kernels["streams"], list(UNORDERED).index(name), 0, times=2)
    assert all(outcome.status is None for outcome in ended), findings(ended)
    assert right(ended[0]), "in the order of the calls it is right by luck"
    hazard, *_ = findings(ended[:1], "stream_hazard")
    for words in UNORDERED[name]:
        assert words in str(hazard["message"])
    assert hazard["severity"] == "warning"
    verdicts = [right(outcome) for outcome in ended]
    assert not all(verdicts[:3])
    assert verdicts[3:] == verdicts[:3]


@pytest.mark.parametrize("name", UNORDERED)
def test_its_twin_with_the_order_is_right_and_clean(name: str, kernels: dict[str, str]) -> None:
    ended = outcomes(kernels["streams"], list(UNORDERED).index(name), 1)
    assert [right(outcome) for outcome in ended] == [True] * 3
    assert not findings(ended)


@pytest.mark.parametrize("name", [name for name in APART if name not in FLAWED])
def test_what_needs_no_more_order_is_right_and_clean(name: str, kernels: dict[str, str]) -> None:
    ended = outcomes(kernels["streams_apart"], APART.index(name))
    assert [right(outcome) for outcome in ended] == [True] * 3
    assert not findings(ended)


def test_a_hazard_that_changes_no_output_is_only_a_warning(kernels: dict[str, str]) -> None:
    ended = outcomes(kernels["streams_apart"], APART.index("same_values"))
    assert [right(outcome) for outcome in ended] == [True] * 3
    assert {finding["severity"] for finding in findings(ended, "stream_hazard")} == {"warning"}


def test_memory_that_another_stream_frees_too_early(kernels: dict[str, str]) -> None:
    ended = outcomes(kernels["streams_apart"], APART.index("frees_early"))
    assert "cudaFreeAsync in stream 1 frees it" in str(findings(ended[:1], "stream_hazard")[0]["message"])
    assert right(ended[0])
    assert findings(ended, "use_after_free")


def test_memory_that_another_stream_uses_after_its_free(kernels: dict[str, str]) -> None:
    (ended,) = outcomes(kernels["streams_apart"], APART.index("frees_before_use"))
    assert ended.status == ExitStatus.ILLEGAL_ACCESS
    (found,) = findings([ended], "use_after_free")
    assert "the 1024-byte cudaMallocAsync allocation" in str(found["message"])


def test_a_leak_is_noted_when_it_happens_again(kernels: dict[str, str]) -> None:
    ended = outcomes(kernels["streams_apart"], APART.index("leaks_all"), times=2)
    assert all(right(outcome) for outcome in ended)
    assert not findings(ended[:1])
    (leak,) = findings(ended)
    assert (leak["kind"], leak["severity"]) == ("leak", "note")
    assert "1 allocation with 1024 bytes, 1 stream, 1 event" in str(leak["message"])
