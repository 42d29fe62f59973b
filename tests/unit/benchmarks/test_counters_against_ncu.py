"""The comparison of functional mode's counters with ncu's: its rule, its tables and its files."""

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.counted_programs import (
    PROGRAMS,
    CountedProgram,
    GivenArgument,
    argument_file,
    read_programs,
    write_programs,
)
from benchmarks.counters_against_ncu import (
    COUNTERS,
    Compared,
    Difference,
    differences_of,
    known_metrics,
    meets_bar,
    print_summary,
)
from problems.loader import load_problem, problems_root

METRICS = tuple(dict.fromkeys(metric for comparison in COUNTERS for metric in comparison.metrics))
LOADS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op"
PROGRAM = CountedProgram(
    "relu/plain.cu prime",
    "relu",
    "source",
    "binding",
    (GivenArgument(True, b"\0\1" * 100), GivenArgument(False, b"\7\0\0\0")),
    {**dict.fromkeys((comparison.counter for comparison in COUNTERS), 0), "launches": 2},
)


def log_of(*launches: dict[str, float], metrics: tuple[str, ...] = METRICS) -> str:
    """Return the output of ncu about `launches`. Metrics that they do not name are 0."""
    rows = [
        ["ID", "Kernel Name", "Block Size", "Grid Size", *metrics],
        ["", "", "", "", *("inst" for _ in metrics)],
        *(
            [str(at), "relu(const float *, int)", "(256, 1, 1)", "(1, 1, 1)"]
            + [f"{launch.get(metric, 0):,.6f}" for metric in metrics]
            for at, launch in enumerate(launches)
        ),
    ]
    table = "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows)
    return f'==PROF== Connected to process 7\n==PROF== Profiling "relu" - 0: 3 passes\n{table}\n'


def found(program: CountedProgram, log: str) -> dict[str, Difference]:
    differences = differences_of(program, log)
    assert not isinstance(differences, str)
    return {one.counter: one for one in differences}


def counted(**counts: float) -> CountedProgram:
    return replace(PROGRAM, counts={**PROGRAM.counts, **counts})


def test_figures_are_summed_over_launches_and_metrics() -> None:
    loads, stores = (f"{WAVEFRONTS}_{kind}.sum" for kind in ("ld", "st"))
    log = log_of({loads: 1000, stores: 20}, {loads: 500})
    difference = found(counted(shared_wavefronts=1520), log)["shared_wavefronts"]
    assert (difference.ncu, difference.agrees, difference.percent) == (1520, True, "+0.0 %")


def test_shared_memory_is_that_of_the_largest_launch() -> None:
    static, dynamic = "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"
    log = log_of({static: 512, dynamic: 1024}, {static: 512})
    assert found(counted(shared_bytes_per_block=1536), log)["shared_bytes_per_block"].agrees


def test_fma_of_threads_are_compared_with_those_of_warps() -> None:
    log = log_of({"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": 640}, {})
    assert found(counted(fma_instructions=20), log)["fma_instructions"].agrees


@pytest.mark.parametrize(
    ("engine", "ncu", "agrees", "percent"),
    [
        (1020, 1000, True, "+2.0 %"),
        (979, 1000, False, "-2.1 %"),
        (0, 0, True, "0 %"),
        (1, 0, False, "all"),
        (1, None, False, "not reported"),
    ],
)
def test_two_percent_of_ncu(engine: float, ncu: float | None, agrees: bool, percent: str) -> None:
    difference = Difference("global_load_requests", engine, ncu, True)
    assert (difference.agrees, difference.percent) == (agrees, percent)


def test_counters_that_a_kernel_does_not_use_prove_nothing() -> None:
    assert not Difference("atomic_requests", 0, 0, True).used
    assert not Compared("a", "k", (Difference("atomic_requests", 0, 0, True),)).agrees


def test_reported_counters_do_not_decide() -> None:
    right, wrong = Difference("shared_requests", 5, 5, True), Difference("bank_conflicts", 0, 9, False)
    assert Compared("a", "k", (right, wrong)).agrees
    assert not Compared("a", "k", (right, replace(wrong, compared=True))).agrees


def test_other_launches_are_not_compared() -> None:
    said = differences_of(PROGRAM, log_of({}))
    assert said == "functional mode launched 2 kernels, ncu saw 1"
    assert isinstance(differences_of(PROGRAM, "==ERROR== ERR_NVGPUCTRPERM"), str)


def test_a_metric_that_ncu_does_not_know_is_not_reported() -> None:
    listing = "Chip gh100\n" + "\n".join(f"{name.partition('.')[0]}  Counter  inst  # of" for name in METRICS)
    assert known_metrics(listing) == METRICS
    known = known_metrics(listing.replace("l1tex__t_requests_pipe_lsu_mem_global_op_ld ", "other "))
    assert known == tuple(name for name in METRICS if name != LOADS)
    differences = found(PROGRAM, log_of({}, {}, metrics=known))
    assert differences["global_load_requests"].percent == "not reported"
    assert differences["global_store_requests"].ncu == 0


def test_the_bar_is_57_of_60(capsys: pytest.CaptureFixture[str]) -> None:
    assert meets_bar(57, 60)
    assert not meets_bar(56, 60)
    right = Compared("a", "k", (Difference("global_load_requests", 5, 5, True),))
    wrong = Compared("a", "k", (Difference("global_load_requests", 5, 9, True),))
    failed = Compared("a", "k", failure="nvcc")
    assert print_summary([right] * 57 + [wrong] * 3 + [failed]) == 0
    assert "global_load_requests                  60     57  met" in capsys.readouterr().out
    assert print_summary([right] * 57 + [wrong] * 4) == 1
    assert print_summary([right] * 59) == 1


def test_the_file_carries_everything(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    write_programs(path, [PROGRAM])
    assert read_programs(path) == (PROGRAM,)
    path.write_text("{}")
    with pytest.raises(SystemExit, match="--engine-to"):
        read_programs(path)
    with pytest.raises(SystemExit, match="--engine-to"):
        read_programs(tmp_path / "missing")


def test_the_arguments_are_as_the_host_program_reads_them() -> None:
    data = argument_file(PROGRAM.arguments)
    assert struct.unpack("<QQQ", data[:24]) == (2, 1, 200)
    assert data[24:] == b"\0\1" * 100 + struct.pack("<QQ", 0, 4) + b"\7\0\0\0"


def test_the_programs_exist() -> None:
    assert len(PROGRAMS) == len(set(PROGRAMS)) >= 70
    for name in PROGRAMS:
        file, _, case = name.partition(" ")
        slug, _, solution = file.partition("/")
        problem = load_problem(problems_root() / slug)
        assert case in {one.name for one in problem.cases}
        assert solution in {one.path.name for one in problem.solutions}
