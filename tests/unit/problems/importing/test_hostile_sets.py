"""Tests sets that try to crash or stall the importer: each is refused, and the next one is read."""

import time
from pathlib import Path

import pytest

from judge.proof.importing import Workshop, import_set
from problems.importing.described import Described
from problems.importing.extracting import standalone
from problems.importing.plain_yaml import YamlInvalid, read_yaml
from problems.importing.report import ImportOutcome, Refused
from tests.growth import assert_linear

BOMB = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


class NoExaminer:
    """Says of every set that it got as far as the sandbox."""

    def examine(self, source: str) -> Described:
        raise Refused(f"examined {len(source)} characters")


def imported(format_name: str, folder: Path) -> dict[str, str]:
    """The reason for which each problem of a set is refused, by its place."""
    workshop = Workshop(NoExaminer(), lambda _problem: pytest.fail("nothing is drawn"))
    found = list(import_set(format_name, folder, workshop))
    assert all(one.entry.outcome is ImportOutcome.REFUSED and not one.files for one in found)
    return {one.entry.place: one.entry.reason for one in found}


@pytest.mark.parametrize("text", [BOMB, "a: &a [*a]\n", "<<: &a {b: 1}\nc:\n  <<: *a\n"])
def test_aliases_are_refused_before_they_multiply(text: str) -> None:
    with pytest.raises(YamlInvalid, match="aliases"):
        read_yaml(text)


@pytest.mark.parametrize("text", ["!!python/object/apply:os.getcwd []", "a: [", "[" * 5000, "\0", "a: b: c"])
def test_what_is_no_plain_yaml_is_refused(text: str) -> None:
    with pytest.raises(YamlInvalid):
        read_yaml(text)


def write_task(folder: Path, text: str, reference: str = "def ref_kernel(data): ...\n") -> None:
    folder.mkdir(parents=True)
    (folder / "task.yml").write_text(text)
    (folder / "reference.py").write_text(reference)


def test_a_task_that_runs_in_several_places_is_refused(tmp_path: Path) -> None:
    write_task(tmp_path / "gathered", "tests: [{world_size: 8, n: 4}]\n")
    assert imported("gpu_mode", tmp_path)["gathered"].startswith("it needs 8 GPUs (world_size)")


def test_odd_tasks_are_refused_one_by_one(tmp_path: Path) -> None:
    huge = f"tests:\n  - {{a: 0x{'f' * 20000}}}\n"
    write_task(tmp_path / "alias_bomb", f"{BOMB}tests:\n  - {{a: *i}}\n")
    write_task(tmp_path / "elsewhere", "files: [{name: reference.py, source: ../../../etc/passwd}]\n")
    write_task(tmp_path / "huge_number", huge)
    write_task(tmp_path / "no_path", 'files: [{name: reference.py, source: "a\\0b"}]\n')
    write_task(tmp_path / "no_python", "tests: []\n", "def ref_kernel(:\n")
    write_task(tmp_path / "one_that_is_fine", "tests: [{n: 4}]\n")
    write_task(tmp_path / "very_long", f"files: [{{name: reference.py, source: {'a' * 5000}}}]\n")
    reasons = imported("gpu_mode", tmp_path)
    assert len(reasons) == 7
    assert "aliases" in reasons["alias_bomb"]
    assert "outside the uploaded folder" in reasons["elsewhere"]
    assert "does not follow its format" in reasons["huge_number"]
    assert "not valid Python" in reasons["no_python"]
    assert reasons["one_that_is_fine"].startswith("examined ")
    assert "not a path" in reasons["no_path"]
    assert "cannot be read" in reasons["very_long"]


@pytest.mark.parametrize(
    "metadata",
    [
        "keywords: 5\n",
        "limits: {memory: .inf}\n",
        "limits: {time_limit: .nan, code: -1}\n",
        "name: {en: [1]}\n",
        "name: 3\nkeywords: [[1], {a: b}]\n",
    ],
)
def test_odd_kattis_metadata_breaks_nothing(tmp_path: Path, metadata: str) -> None:
    for name in ("problem.toml", "statement.md", "reference.py"):
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "problem.yaml").write_text(metadata)
    (reason,) = imported("kattis", tmp_path).values()
    assert reason


def test_a_description_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a" / "task.yml").mkdir(parents=True)
    assert "not a regular file" in imported("gpu_mode", tmp_path)["a"]


def test_names_that_one_statement_binds_are_followed_once() -> None:
    def read(text: str) -> None:
        names = "=".join(f"n{i}" for i in range(len(text)))
        files = {"reference.py": f"{names}=1\ndef ref_kernel(d):\n    return n0\n"}
        assert "ref_kernel" in standalone(files, "reference.py", "ref_kernel")

    assert_linear(read, "n", length=400)


def test_a_header_of_blank_lines_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "def.py").write_text("class a: ...\n")
    (tmp_path / "a" / "problem.md").write_text("---" + "\n" * 60_000 + "x" * 60_000)
    begun_s = time.process_time()
    assert imported("tensara", tmp_path)
    assert time.process_time() - begun_s < 5


def test_a_folder_of_solutions_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    problem = tmp_path / "set" / "a"
    problem.mkdir(parents=True)
    for name in ("problem.toml", "statement.md", "reference.py", "problem.yaml"):
        (problem / name).write_text("x: 1\n")
    (problem / "solutions").symlink_to(tmp_path / "elsewhere")
    assert "is a link" in imported("kattis", tmp_path / "set")["a"]
