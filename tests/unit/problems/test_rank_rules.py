"""Problems whose programs run in several processes: packages, faults and starters."""

import shutil
from pathlib import Path

import pytest

from judge.oracle import runner_manifest
from problems.loader import load_problem, problems_root
from problems.vocabulary import Language
from tests.unit.problems.packages import faults_of

UNEVEN = problems_root() / "uneven-batches"
REQUIREMENT = """[[requirements]]
counter = "{}"
at_most = 1
explanation = "Do less."

"""


def edited(folder: Path, *edits: tuple[str, str]) -> Path:
    """Copy the shipped package, edit problem.toml, and return the folder of the copy."""
    package = folder / UNEVEN.name
    shutil.copytree(UNEVEN, package)
    description = package / "problem.toml"
    text = description.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    description.write_text(text)
    return package


def test_a_problem_may_have_ranks() -> None:
    problem = load_problem(UNEVEN)
    assert (problem.ranks, problem.gpus, problem.devices_needed) == (2, 1, 2)
    assert problem.has_own_gpus
    assert b'"ranks": 2' in runner_manifest(problem, Language.PYTHON)


def test_requirements_of_ranks_are_counted_in_python(tmp_path: Path) -> None:
    requirements = "".join(map(REQUIREMENT.format, ("collectives", "messages", "sent_bytes")))
    problem = load_problem(edited(tmp_path, ("[limits]", f"{requirements}[limits]")))
    assert {requirement.counter.language for requirement in problem.requirements} == {Language.PYTHON}
    assert b'"counters": ["collectives", "messages", "sent_bytes"]' in runner_manifest(
        problem, Language.PYTHON
    )


def test_other_programs_have_no_counters_of_ranks(tmp_path: Path) -> None:
    package = tmp_path / "vector-add"
    shutil.copytree(problems_root() / package.name, package)
    description = package / "problem.toml"
    description.write_text(f"{description.read_text()}\n{REQUIREMENT.format('messages')}")
    assert any("messages is counted only in programs with ranks" in told for told in faults_of(package))


def test_the_starter_says_what_a_rank_gets() -> None:
    starter = load_problem(UNEVEN).starters[Language.PYTHON]
    assert "import torch.distributed as dist" in starter
    assert "Each of 2 ranks calls solve in a process of its own" in starter
    assert "g0     float32[m, n], input and output" in starter
    assert "count  int64[], input" in starter


def test_other_problems_have_one_rank_and_need_as_many_gpus_as_before() -> None:
    for slug, devices in (("vector-add", 1), ("peer-swap", 2)):
        problem = load_problem(problems_root() / slug)
        assert (problem.ranks, problem.devices_needed) == (1, devices)
        assert b"ranks" not in runner_manifest(problem)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("ranks = 2", "ranks = 3", "ranks: must be one of 2, 4, not 3"),
        ("ranks = 2", "ranks = 1", "ranks: must be from 2 to 4, is 1"),
        ("ranks = 2", "ranks = 2\ngpus = 2", "ranks: each rank has a GPU of its own; remove gpus"),
        ('["python"]', '["python", "triton"]', "languages: Triton programs cannot have ranks"),
        ('["python"]', '["python", "cuda"]', "languages: CUDA C++ programs cannot have ranks"),
        ('group = "large"', 'group = "timed"', "group: a problem with ranks is not timed"),
        ('["2", "m", "n"]', '["m", "n"]', "arguments[0].shape: the first dimension must be the number of"),
        (
            '["2", "m", "n"]',
            '["4", "m", "n"]',
            "arguments[0].shape: the first dimension must be the number of",
        ),
        ("ranks = 2", "ranks = 4", "arguments[1].shape: the first dimension must be the number of ranks"),
        (
            'shape = ["2"]',
            'shape = ["2"]\nmemory = "pinned"',
            "arguments[2].memory: a rank gets its arrays in",
        ),
        ('shape = ["2"]', 'shape = ["2"]\ndevice = 1', "arguments[2].device: there is no GPU 1"),
        (
            "[limits]",
            '[python]\nentry = "custom_kernel"\ngiven = "(g0, g1, count)"\n\n[limits]',
            "python.entry: each rank calls solve, not custom_kernel",
        ),
        (
            "[limits]",
            f"{REQUIREMENT.format('graph_breaks')}[limits]",
            "requirements[0].counter: graph_breaks is counted only in programs of one process",
        ),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, old: str, new: str, fault: str) -> None:
    faults = faults_of(edited(tmp_path, (old, new)))
    assert any(fault in told for told in faults), faults
