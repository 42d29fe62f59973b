"""Problems for several GPUs or with device launches: packages, faults and starters."""

from pathlib import Path

import pytest

from problems.binding import starter
from problems.loader import load_problem, problems_root
from problems.vocabulary import Language
from tests.unit.problems.packages import DESCRIPTION, edited, faults_of, write_package

ARRAY = 'dtype = "float32"\nshape = ["rows", "cols"]'
TRITON = '[[solutions]]\nfile = "plain.py"\nverdict = "accepted"\nnote = "One program per block."\n\n'
FOR_TWO = (
    DESCRIPTION.replace(ARRAY, f"{ARRAY}\ndevice = 1", 1)
    .replace('languages = ["cuda", "triton"]', 'languages = ["cuda"]\ngpus = 2')
    .replace(TRITON, "")
)


def package(folder: Path, text: str) -> Path:
    """Write a package with that problem.toml and CUDA solutions only."""
    written = write_package(folder, problem_toml=text)
    (written / "solutions" / "plain.py").unlink()
    return written


def test_a_problem_may_be_for_several_gpus(tmp_path):
    problem = load_problem(package(tmp_path / "two", FOR_TWO))
    assert problem.gpus == 2
    assert [argument.device for argument in problem.arguments] == [1, 0, 0]
    four = load_problem(package(tmp_path / "four", FOR_TWO.replace("gpus = 2", "gpus = 4")))
    moved = load_problem(package(tmp_path / "moved", FOR_TWO.replace("device = 1", "device = 0")))
    assert len({problem.version, four.version, moved.version}) == 3


def test_saying_the_usual_changes_no_version(tmp_path):
    plain = load_problem(write_package(tmp_path / "plain"))
    told = edited('title = "', 'gpus = 1\ntitle = "').replace(ARRAY, f"{ARRAY}\ndevice = 0", 1)
    assert load_problem(write_package(tmp_path / "told", problem_toml=told)).version == plain.version
    assert plain.gpus == 1


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("gpus = 2", "gpus = 3", "gpus: must be one of 1, 2, 4, not 3"),
        ("gpus = 2", "gpus = 8", "gpus: must be from 1 to 4, is 8"),
        ("device = 1", "device = 2", "arguments[0].device: there is no GPU 2: gpus is 2"),
        (
            'value = "rows * cols"',
            'value = "rows"\ndevice = 1',
            "arguments[2].device: a scalar is passed by value",
        ),
        ("device = 1", 'device = 1\nmemory = "pinned"', "arguments[0].device: the array is in pinned memory"),
        ('["cuda"]', '["cuda", "triton"]', "languages: Triton programs cannot use 2 GPUs"),
        ('group = "large"', 'group = "timed"', "cases[2].group: a problem for 2 GPUs is not timed"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, old, new, fault):
    faults = faults_of(package(tmp_path, FOR_TWO.replace(old, new, 1)))
    assert any(fault in found for found in faults), faults


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            '["cuda"]',
            '["cuda", "triton"]',
            "languages: Triton programs cannot launch",
        ),
        ('group = "large"', 'group = "timed"', "cases[2].group: a problem with device_launches is not timed"),
    ],
)
def test_a_problem_with_device_launches_is_for_cuda_and_not_timed(tmp_path, old, new, fault):
    text = DESCRIPTION.replace('languages = ["cuda", "triton"]', 'languages = ["cuda"]').replace(TRITON, "")
    text = text.replace("[limits]", "[limits]\ndevice_launches = true", 1)
    assert load_problem(package(tmp_path / "right", text)).has_own_gpus
    faults = faults_of(package(tmp_path / "wrong", text.replace(old, new, 1)))
    assert any(fault in found for found in faults), faults


def test_a_device_needs_as_many_gpus(tmp_path):
    text = FOR_TWO.replace("\ngpus = 2", "")
    faults = faults_of(package(tmp_path, text))
    assert any("there is no GPU 1: gpus is 1, and numbers begin with 0" in found for found in faults), faults


def test_a_starter_says_on_which_device_each_array_is(tmp_path):
    text = starter(load_problem(package(tmp_path, FOR_TWO)), Language.CUDA)
    assert "Arrays are in memory of 2 devices. Device 0 is current when solve is called." in text
    assert "x      float32[rows, cols] on device 1, input, must not be changed" in text
    assert "y      float32[rows, cols] on device 0, output, holds random bits at first" in text


def test_the_shipped_starter_is_the_generated_one_with_peer_access():
    problem = load_problem(problems_root() / "peer-swap")
    shipped = problem.starters[Language.CUDA].splitlines()
    assert set(starter(problem, Language.CUDA).splitlines()) - set(shipped) == {
        "    // Launch your kernels here."
    }
