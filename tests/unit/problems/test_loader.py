"""Tests loading packages: what is accepted, what is refused, and that no code runs."""

import os
from pathlib import Path

import pytest

from problems.faults import PackageInvalid
from problems.loader import load_all, load_problem, problems_root
from problems.schema import ProblemLimits, Tolerance
from problems.vocabulary import BaselineKind, Difficulty, Dtype, Group, Language, Role, Verdict
from tests.unit.problems.packages import DESCRIPTION, REFERENCE, edited, faults_of, load_edited, write_package

SHIPPED = sorted(path.parent.name for path in problems_root().glob("*/problem.toml"))


def test_a_valid_package_becomes_a_problem(tmp_path: Path) -> None:
    problem = load_problem(write_package(tmp_path))
    assert (problem.slug, problem.title, problem.difficulty) == ("scale", "Scale", Difficulty.EASY)
    assert problem.languages == (Language.CUDA, Language.TRITON)
    assert problem.limits == ProblemLimits(20.0, 5.0, 1024, 32)
    x, y, count = problem.arguments
    assert (x.role, x.dtype, [f.text for f in x.shape]) == (Role.IN, Dtype.FLOAT32, ["rows", "cols"])
    assert x.tolerance is None
    assert y.tolerance == Tolerance(1e-6, 1e-7, nan=False)
    assert count.value is not None
    assert count.value.evaluate({"rows": 5, "cols": 3}) == 15
    assert [case.group for case in problem.cases] == [Group.SAMPLE, Group.ODD, Group.LARGE]
    assert problem.cases[0].inputs == {"x": (1, 2.5, -3)}
    assert [case.public for case in problem.cases] == [True, False, False]
    assert [solution.verdict for solution in problem.solutions] == [Verdict.ACCEPTED] * 2
    assert all(solution.path.is_absolute() and solution.path.is_file() for solution in problem.solutions)
    assert problem.track_day == 1
    assert problem.editorial is None


def test_a_solution_may_be_a_baseline_which_changes_no_verdict(tmp_path: Path) -> None:
    marked = load_edited(tmp_path, "note = ", 'baseline = "vendor"\nlabel = "cuBLAS"\nnote = ')
    cuda, triton = marked.solutions
    assert (cuda.baseline, cuda.label) == (BaselineKind.VENDOR, "cuBLAS")
    assert (triton.baseline, triton.label) == (None, "")
    assert marked.version == load_edited(tmp_path, "note = ", "note = ").version


def test_tiers_compare_with_a_vendor_baseline(tmp_path: Path) -> None:
    vendor = edited("note = ", 'baseline = "vendor"\nlabel = "cuBLAS"\nnote = ')
    tiered = vendor.replace("track_day = 1", "tiers = [50, 100]\ntrack_day = 1")
    assert load_problem(write_package(tmp_path, problem_toml=tiered)).tiers == (50, 100)
    for wrong, fault in (
        ("[]", "tiers: must not be empty"),
        ("[2, 1]", "tiers: must ascend"),
        ("[0]", "tiers[0]: must be from 1 to 1000"),
        ("[true]", "tiers[0]: must be a whole number"),
        (str(list(range(1, 12))), "tiers: has 11 entries"),
    ):
        folder = write_package(tmp_path, problem_toml=tiered.replace("[50, 100]", wrong))
        assert any(fault in found for found in faults_of(folder)), (wrong, faults_of(folder))
    alone = write_package(tmp_path, problem_toml=edited("track_day = 1", "tiers = [50]\ntrack_day = 1"))
    assert any("tiers: no solution has baseline" in found for found in faults_of(alone))


def test_a_gpu_may_give_solutions_other_verdicts(tmp_path: Path) -> None:
    old = 'file = "plain.cu"\n'
    other = f'{old}gpu_verdicts = ["time_limit", "accepted"]\n'
    cuda, triton = load_edited(tmp_path, old, other).solutions
    assert cuda.allowed(on_gpu=True) == (Verdict.TIME_LIMIT, Verdict.ACCEPTED)
    assert cuda.allowed(on_gpu=False) == triton.allowed(on_gpu=True) == (Verdict.ACCEPTED,)
    ours = other.replace("time_limit", "internal_error")
    [fault] = faults_of(write_package(tmp_path, problem_toml=edited(old, ours)))
    assert "internal_error" in fault


@pytest.mark.parametrize("slug", SHIPPED)
def test_shipped_packages_are_valid(slug: str) -> None:
    assert faults_of(problems_root() / slug) == ()


def test_load_all_finds_packages_in_order(tmp_path: Path) -> None:
    write_package(tmp_path, slug="second")
    write_package(tmp_path, slug="first")
    (tmp_path / "__pycache__").mkdir()
    assert [problem.slug for problem in load_all(tmp_path)] == ["first", "second"]


def test_load_all_reports_the_faults_of_every_package(tmp_path: Path) -> None:
    write_package(tmp_path, slug="first", problem_toml=edited('difficulty = "easy"', 'difficulty = "x"'))
    write_package(tmp_path, slug="second", statement_md="")
    with pytest.raises(PackageInvalid) as raised:
        load_all(tmp_path)
    text = str(raised.value)
    assert "problems/first/problem.toml: difficulty: 'x' is unknown; use one of easy, medium, hard" in text
    assert "problems/second/statement.md: is empty" in text


def test_sizes_may_have_limits(tmp_path: Path) -> None:
    limited = load_edited(tmp_path, "[limits]\n", "[limits]\nsizes = { cols = 300 }\n")
    assert limited.limits.sizes == {"cols": 300}
    assert limited.version == load_problem(write_package(tmp_path / "plain")).version  # verdicts stay


@pytest.mark.parametrize(
    ("limits", "fault"),
    [
        ("{ cols = 299 }", "limits.sizes.cols: a case has 300; raise the limit, or change the case"),
        ("{ n = 4 }", "limits.sizes.n: unknown size; use a size that the cases give: rows, cols"),
        ("{}", "limits.sizes: must name at least one size"),
        ("{ cols = 0 }", "limits.sizes.cols: must be from 1 to 2147483647, is 0"),
    ],
)
def test_limits_of_sizes_that_do_not_fit_are_faults(tmp_path: Path, limits: str, fault: str) -> None:
    [found] = faults_of(
        write_package(tmp_path, problem_toml=edited("[limits]\n", f"[limits]\nsizes = {limits}\n"))
    )
    assert fault in found


def test_nothing_of_a_package_is_executed(tmp_path: Path) -> None:
    trap = tmp_path / "executed"
    hostile = f"open({str(trap)!r}, 'w')\n"
    folder = write_package(tmp_path, reference_py=hostile, solutions_plain_py=hostile)
    assert load_problem(folder).reference == hostile
    assert not trap.exists()


def test_starters_are_derived_unless_written(tmp_path: Path) -> None:
    folder = write_package(tmp_path)
    (folder / "starter").mkdir()
    (folder / "starter" / "cuda.cu").write_text("// begin here\n")
    starters = load_problem(folder).starters
    assert starters[Language.CUDA] == "// begin here\n"
    assert "def solve(x: torch.Tensor" in starters[Language.TRITON]


class TestVersion:
    def test_is_stable(self, tmp_path: Path) -> None:
        first = load_problem(write_package(tmp_path / "a"))
        second = load_problem(write_package(tmp_path / "b"))
        assert first.version == second.version
        assert len(first.version) == 64

    @pytest.mark.parametrize(
        "change",
        [
            {"problem_toml": edited("relative = 1e-6", "relative = 2e-6")},
            {"problem_toml": edited("rows = 5, cols = 3", "rows = 7, cols = 3")},
            {"problem_toml": edited("x = [1, 2.5, -3]", "x = [1, 2.5, -4]")},
            {"problem_toml": edited("case_s = 5", "case_s = 6")},
            {"problem_toml": edited("8 * rows * cols", "4 * rows * cols")},
            {"problem_toml": edited('"cuda", "triton"', '"triton", "cuda"')},
            {"problem_toml": edited('"rows * cols"\n', '"rows * cols"\nbeatable = ["operations"]\n')},
            {"reference_py": REFERENCE + "# changed\n"},
        ],
    )
    def test_follows_what_can_change_a_verdict(self, tmp_path: Path, change: dict[str, str]) -> None:
        before = load_problem(write_package(tmp_path / "a"))
        after = load_problem(write_package(tmp_path / "b", **change))
        assert before.version != after.version

    @pytest.mark.parametrize(
        "change",
        [
            {"problem_toml": edited('title = "Scale"', 'title = "Scaling"')},
            {"problem_toml": "# a comment\n" + DESCRIPTION},
            {"problem_toml": edited("track_day = 1", "track_day = 9")},
            {"solutions_plain_cu": "// better\n"},
        ],
    )
    def test_ignores_what_cannot(self, tmp_path: Path, change: dict[str, str]) -> None:
        before = load_problem(write_package(tmp_path / "a"))
        after = load_problem(write_package(tmp_path / "b", **change))
        assert before.version == after.version


class TestFiles:
    def test_missing(self, tmp_path: Path) -> None:
        folder = write_package(tmp_path)
        for name in ("problem.toml", "statement.md", "reference.py"):
            (folder / name).unlink()
        texts = "\n".join(faults_of(folder))
        for name in ("problem.toml", "statement.md", "reference.py"):
            assert f"problems/scale/{name}: missing; write it" in texts

    def test_unknown(self, tmp_path: Path) -> None:
        folder = write_package(tmp_path)
        (folder / "notes.txt").write_text("x")
        (folder / ".hidden").write_text("x")
        assert [fault.partition(";")[0] for fault in faults_of(folder)] == [
            "problems/scale/notes.txt: unknown file"
        ]

    @pytest.mark.parametrize("name", ["reference.py", "solutions/plain.cu"])
    def test_symbolic_links_are_not_followed(self, tmp_path: Path, name: str) -> None:
        folder = write_package(tmp_path)
        secret = tmp_path / "secret"
        secret.write_text("secret")
        (folder / name).unlink()
        (folder / name).symlink_to(secret)
        [fault] = faults_of(folder)
        assert fault.startswith(f"problems/scale/{name}: cannot be read")

    @pytest.mark.parametrize("name", ["solutions", "."])
    def test_linked_folders_are_not_followed(self, tmp_path: Path, name: str) -> None:
        folder = write_package(tmp_path)
        place = folder / name if name != "." else folder
        elsewhere = tmp_path / "elsewhere"
        place.rename(elsewhere)
        place.symlink_to(elsewhere)
        assert "must be a folder, not a symbolic link" in faults_of(folder)[0]

    def test_pipes_do_not_hold_the_loader(self, tmp_path: Path) -> None:
        folder = write_package(tmp_path)
        (folder / "statement.md").unlink()
        os.mkfifo(folder / "statement.md")
        assert "problems/scale/statement.md: must be a regular file" in faults_of(folder)

    def test_text_must_be_utf8(self, tmp_path: Path) -> None:
        folder = write_package(tmp_path)
        (folder / "reference.py").write_bytes(b"# caf\xe9")
        [fault] = faults_of(folder)
        assert fault == "problems/scale/reference.py: is not UTF-8 (byte 5); save it as UTF-8"

    def test_size_is_bounded(self, tmp_path: Path) -> None:
        [fault] = faults_of(write_package(tmp_path, reference_py="#" * 200_000))
        assert "has 200000 bytes; at most 128 KiB are allowed" in fault

    def test_sources_fit_the_limit(self, tmp_path: Path) -> None:
        [fault] = faults_of(write_package(tmp_path, solutions_plain_cu="/" * 40_000))
        assert fault == "problems/scale/solutions/plain.cu: is larger than limits.source_kib, 32768 bytes"

    @pytest.mark.parametrize("slug", ["Scale", "two--hyphens", "with_underscore", "1st", "a" * 61])
    def test_the_folder_is_named_like_a_slug(self, tmp_path: Path, slug: str) -> None:
        assert "is the slug" in faults_of(write_package(tmp_path, slug=slug))[0]
