"""Tests arrays in host memory: their form in a package, refused forms, and the text in a starter."""

import pytest

from problems.binding import starter
from problems.loader import load_problem
from problems.vocabulary import ArrayMemory, Language
from tests.unit.problems.packages import DESCRIPTION, edited, faults_of, write_package

ARRAY = 'dtype = "float32"\nshape = ["rows", "cols"]'
TRITON = '[[solutions]]\nfile = "plain.py"\nverdict = "accepted"\nnote = "One program per block."\n\n'
ON_HOST = (
    DESCRIPTION.replace(ARRAY, f'{ARRAY}\nmemory = "host"', 1)
    .replace('["cuda", "triton"]', '["cuda"]')
    .replace(TRITON, "")
)


@pytest.fixture
def package(tmp_path):
    """Write a package with that problem.toml and CUDA solutions only."""

    def write(text: str):
        folder = write_package(tmp_path, problem_toml=text)
        (folder / "solutions" / "plain.py").unlink()
        return folder

    return write


def test_an_array_may_be_in_host_memory(package):
    problem = load_problem(package(ON_HOST))
    assert [a.memory for a in problem.arguments] == [
        ArrayMemory.HOST,
        ArrayMemory.DEVICE,
        ArrayMemory.DEVICE,
    ]
    pinned = load_problem(package(ON_HOST.replace('"host"', '"pinned"')))
    assert pinned.arguments[0].memory is ArrayMemory.PINNED
    assert pinned.arguments[0].memory.on_host
    assert pinned.version != problem.version


def test_saying_the_usual_changes_no_version(tmp_path):
    plain = load_problem(write_package(tmp_path / "plain"))
    told = edited('shape = ["rows", "cols"]', 'shape = ["rows", "cols"]\nmemory = "device"')
    assert load_problem(write_package(tmp_path / "told", problem_toml=told)).version == plain.version


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            'memory = "host"',
            'memory = "managed"',
            "arguments[0].memory: 'managed' is unknown; use one of device, host, pinned",
        ),
        (
            'value = "rows * cols"',
            'value = "rows"\nmemory = "host"',
            "arguments[2].memory: a scalar is passed by value",
        ),
        (
            '["cuda"]',
            '["cuda", "triton"]',
            "languages: Triton programs cannot take x, which is in host memory",
        ),
        ('["cuda"]', '["cuda", "python"]', "languages: PyTorch programs cannot take x"),
        (
            'group = "large"',
            'group = "timed"',
            "cases[2].group: a problem with an array in host memory, such as x, is not timed",
        ),
    ],
)
def test_what_cannot_be_is_refused(package, old, new, fault):
    faults = faults_of(package(ON_HOST.replace(old, new, 1)))
    assert any(fault in found for found in faults), faults


def test_a_starter_says_where_each_array_is(package):
    text = starter(load_problem(package(ON_HOST)), Language.CUDA)
    assert "x      float32[rows, cols] in pageable host memory, input, must not be changed" in text
    assert "y      float32[rows, cols] in device memory, output, holds random bits at first" in text
    assert "Kernels can access device memory and pinned host memory." in text
    assert "copy the results back" in text


def test_other_starters_stay_as_they_were(tmp_path):
    text = starter(load_problem(write_package(tmp_path)), Language.CUDA)
    assert "// Arrays are in device memory, scalars are passed by value.\n" in text
    assert "float32[rows, cols], input, must not be changed" in text
