"""Tests known mistakes: stored with a version from a proof or a receipt, and shown to users they may help."""

import json
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from rich.console import Console

from judge.proof.results import ProgramOutcome, Proof, from_json, to_json
from judge.report import CaseReport, Report, WrongOutput
from problems.archive import pack
from problems.contents import read_folder
from problems.loader import load_problem
from problems.vocabulary import Group, Language, Mode, Verdict
from tests.unit.problems.packages import DESCRIPTION, write_package
from tests.unit.web.figures import record
from web.accounts.services import issue_token
from web.catalog.models import Problem
from web.cli import show
from web.packages import services as packages
from web.packages.mistakes import (
    Mistake,
    Pattern,
    known_mistakes,
    patterns_of_proof,
    patterns_of_receipt,
    reveals,
)
from web.packages.models import PackageVersion
from web.submissions import services
from web.tracks.models import Entry, Track

LAST = "The guard leaves out the last element."
SOURCES = {
    "last.cu": f"// Wrong: {LAST[0].lower()}{LAST[1:]}\n//\n// A second paragraph.\nint x;\n",
    "again.cu": f"// Wrong: {LAST[0].lower()}{LAST[1:]}\nint y;\n",
    "tail.py": '"""Wrong for odd sizes: the tail is\nnot masked.\n\nMore."""\nx = 1\n',
    "sizes.cu": "// Wrong: rows of 300 columns are too long.\n",
    "cheat.cu": "// Cheating: it knows the example.\n",
    "all.cu": "// Wrong: everything.\n",
}
WRONG, RIGHT = Verdict.WRONG_ANSWER, Verdict.ACCEPTED
CASES = ("example", "odd-one", "large-one")
PATTERNS = {
    "last.cu": (RIGHT, WRONG, WRONG),
    "tail.py": (RIGHT, WRONG, WRONG),
    "sizes.cu": (RIGHT, RIGHT, WRONG),
    "cheat.cu": (WRONG, RIGHT, WRONG),
    "all.cu": (WRONG, WRONG, WRONG),
}
SHARES: dict[str, dict[str, dict[str, float]]] = {}  # those of receipts, by file
GROUPS = (Group.SAMPLE, Group.ODD, Group.LARGE)


def package(root: Path, *names: str, gpu: str = "") -> Path:
    """A package with these wrong solutions."""
    told = DESCRIPTION
    for name in names:
        told += (
            f'\n[[solutions]]\nfile = "{name}"\nverdict = "wrong_answer"\n{gpu}'
            f'note = "The note of {name.partition(".")[0]}."\n'
        )
    folder = write_package(root, problem_toml=told)
    for name in names:
        (folder / "solutions" / name).write_text(SOURCES[name])
    return folder


def verdicts(*words: Verdict) -> dict[str, str]:
    return {name: word.value for name, word in zip(CASES, words, strict=False)}


def receipt(folder: Path, **other: str) -> None:
    """The receipt that `make prove-all` would write."""
    (folder.parent / "receipts").mkdir(exist_ok=True)
    proved = {
        f"test_solution[scale-{name}]": {
            "verdict": "wrong_answer",
            "cases": verdicts(*words),
            "wrong": SHARES.get(name, {}),
        }
        for name, words in PATTERNS.items()
    }
    body = {"package": read_folder(folder).content_hash, "engine": "x", "proved": proved} | other
    (folder.parent / "receipts" / "scale.json").write_text(json.dumps(body))


def mistakes_of(folder: Path) -> list[Mistake]:
    contents = read_folder(folder)
    told = {name: Pattern(verdicts(*words), {}) for name, words in PATTERNS.items()}
    return known_mistakes(load_problem(folder), contents, told)


class TestExplanations:
    def test_they_are_the_first_paragraph_of_the_comment(self, tmp_path):
        last, tail = mistakes_of(package(tmp_path, "last.cu", "tail.py"))
        pattern = Pattern(verdicts(*PATTERNS["last.cu"]), {})
        assert last == Mistake(Language.CUDA, LAST, pattern, cpu_only=False)
        assert (tail.language, tail.text) == (Language.TRITON, "The tail is not masked.")

    def test_code_at_the_beginning_keeps_its_small_letter(self, tmp_path, monkeypatch):
        monkeypatch.setitem(SOURCES, "last.cu", "// Wrong: a * b is rounded.\n")
        [mistake] = mistakes_of(package(tmp_path, "last.cu"))
        assert mistake.text == "a * b is rounded."

    def test_what_names_a_hidden_size_gives_way_to_the_note(self, tmp_path):
        [mistake] = mistakes_of(package(tmp_path, "sizes.cu"))
        assert mistake.text == "The note of sizes."

    def test_cheats_and_what_fails_everywhere_teach_nothing(self, tmp_path):
        assert mistakes_of(package(tmp_path, "cheat.cu", "all.cu", "again.cu")) == []

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("300 columns", True),
            ("30 000 elements", False),
            ("1 300 or 300", True),
            ("the case odd-one", True),
            ("the case Odd-One", True),
            ("odd sizes, 32 lanes", False),
            ("75 << 2 columns", True),
            ("0x12C columns", True),
            ("75 << 3 columns, 2^{99} rows, 0xffffffffffffffff", False),
            ("5 rows", False),
        ],
    )
    def test_what_reveals_hidden_cases(self, tmp_path, text, told):
        assert reveals(load_problem(package(tmp_path)), text) is told

    @pytest.mark.parametrize(
        "text", ["2^16", "2**16", "$2^{16}$", "1 << 16", "1u<<16", "64 Ki", "64K", "64 KiB"]
    )
    def test_a_hidden_size_is_recognised_in_other_forms(self, tmp_path, text):
        folder = package(tmp_path)
        description = folder / "problem.toml"
        description.write_text(description.read_text().replace("cols = 300", "cols = 65536"))
        assert reveals(load_problem(folder), f"It fails from {text} on.")


class TestSources:
    def test_a_receipt_counts_for_its_own_files_only(self, tmp_path):
        folder = package(tmp_path, "last.cu")
        contents = read_folder(folder)
        assert patterns_of_receipt(tmp_path, contents) == {}
        receipt(folder)
        assert patterns_of_receipt(tmp_path, contents)["last.cu"] == Pattern(
            verdicts(*PATTERNS["last.cu"]), {}
        )
        receipt(folder, package="another")
        assert patterns_of_receipt(tmp_path, contents) == {}
        (tmp_path / "receipts" / "scale.json").write_text("[]")
        assert patterns_of_receipt(tmp_path, contents) == {}

    def test_a_proof_keeps_the_verdict_of_each_case(self):
        outcome = ProgramOutcome(
            *("solutions/last.cu", Language.CUDA, WRONG, WRONG, "", 1.0),
            cases={"odd": WRONG},
            wrong={"odd": {"y": 0.25}},
        )
        stored = to_json(Proof("scale", "1", (), (outcome,)))
        assert from_json(json.loads(json.dumps(stored))).outcomes == (outcome,)
        pattern = Pattern({"odd": "wrong_answer"}, {"odd": {"y": 0.25}})
        assert patterns_of_proof(stored) == {"last.cu": pattern}
        assert patterns_of_proof({"outcomes": [{"program": "solutions/last.cu"}]}) == {}

    @pytest.mark.django_db
    def test_a_version_of_an_author_learns_from_the_proof(self, tmp_path, staff):
        folder = package(tmp_path, "last.cu")
        archive = pack(read_folder(folder))
        told = verdicts(*PATTERNS["last.cu"])
        report = {"outcomes": [{"program": "solutions/last.cu", "cases": told}]}
        version = packages.freeze("scale", archive, staff, proof=report)
        packages.freeze("scale", archive, staff, proof={"outcomes": []})  # which tells less
        version.refresh_from_db()
        assert [body["text"] for body in version.mistakes] == [LAST]


@pytest.mark.parametrize(("elements", "alike"), [(3, True), (3000, False)])
def test_shares_of_small_outputs_may_differ_more(elements, alike):
    one, other = (Pattern({"odd": "wrong_answer"}, {"odd": {"y": share}}) for share in (0.333, 0.667))
    assert one.resembles(other, {"odd": {"y": elements}}) is alike


@pytest.fixture
def load(db, settings, tmp_path):
    """Loads the site's problems with these wrong solutions."""

    def load(*names: str, gpu: str = "") -> Problem:
        folder = package(tmp_path / "problems", *names, gpu=gpu)
        receipt(folder)
        settings.WARPCOURT = replace(
            settings.WARPCOURT, problems_dir=folder.parent, data_dir=tmp_path / "data"
        )
        call_command("loadproblems", stdout=StringIO())
        return Problem.objects.get(slug="scale")

    return load


def report_of(*words: Verdict, **more) -> Report:
    cases = tuple(
        CaseReport(name, group, public=group is Group.SAMPLE, verdict=word, sizes={"rows": 1, "cols": 3})
        for name, group, word in zip(CASES, GROUPS, words, strict=False)
    )
    verdict = next((word for word in words if word is not RIGHT), RIGHT)
    return Report(verdict, cases=cases, **more)


def judged(person, problem, report: Report, **more):
    more = {"language": Language.CUDA, "mode": Mode.SUBMIT} | more
    return record(services.submit(person, problem, source="x", **more), report)


def page_of(client, viewer, submission) -> str:
    client.force_login(viewer)
    return client.get(f"/s/{submission.public_id}").content.decode()


def answer_of(client, viewer, submission):
    token = {"Authorization": f"Bearer {issue_token(viewer, name='test')[1]}"}
    return client.get(f"/api/v1/submissions/{submission.public_id}", headers=token).json()


def with_shares(report: Report, shares: dict[str, dict[str, float]]) -> Report:
    """`report` with these shares of wrong elements, of outputs with a thousand elements."""
    cases = tuple(
        replace(
            case,
            wrong_outputs=tuple(
                WrongOutput(name, 1000, round(1000 * share))
                for name, share in shares.get(case.name, {}).items()
            ),
        )
        for case in report.cases
    )
    return replace(report, cases=cases)


@pytest.mark.django_db
class TestOffering:
    @pytest.mark.parametrize(
        ("large", "offered"),
        [
            ({"y": 0.02, "sum": 1.0}, True),
            ({"y": 0.08, "sum": 1.0}, True),  # inputs are random
            ({"y": 0.001, "sum": 0.95}, True),
            ({"y": 0.02}, False),
            ({"sum": 1.0}, False),
            ({"y": 0.02, "sum": 0.1}, False),
            ({"y": 0.2, "sum": 1.0}, False),
            ({}, False),
        ],
    )
    def test_the_same_outputs_must_be_wrong_to_a_similar_extent(
        self, load, owner, client, monkeypatch, large, offered
    ):
        odd = {"y": 0.5}
        monkeypatch.setitem(SHARES, "last.cu", {"odd-one": odd, "large-one": {"y": 0.02, "sum": 1.0}})
        report = with_shares(report_of(*PATTERNS["last.cu"]), {"odd-one": odd, "large-one": large})
        submission = judged(owner, load("last.cu"), report)
        assert answer_of(client, owner, submission)["mistake"] == (LAST if offered else "")

    def test_a_pattern_without_shares_matches_no_wrong_answer_with_them(self, load, owner, client):
        report = with_shares(report_of(*PATTERNS["last.cu"]), {"odd-one": {"y": 1.0}})
        submission = judged(owner, load("last.cu"), report)
        assert answer_of(client, owner, submission)["mistake"] == ""

    def test_the_author_of_the_submission_reads_it_folded(self, load, owner, client):
        submission = judged(owner, load("last.cu"), report_of(*PATTERNS["last.cu"]))
        page = page_of(client, owner, submission)
        assert '<details class="fold mistake"><summary>You may have made this mistake</summary>' in page
        assert LAST in page
        assert "odd-one" not in page
        answer = answer_of(client, owner, submission)
        assert answer["mistake"] == LAST
        out = StringIO()
        Console(file=out, width=120).print(show.submission(answer))
        assert f"You may have made this mistake: {LAST}" in out.getvalue()

    def test_staff_read_it_and_instructors_do_not(self, load, owner, teammate, staff, client):
        submission = judged(owner, load("last.cu"), report_of(*PATTERNS["last.cu"]))
        teammate.is_instructor = True
        teammate.save()
        assert LAST in page_of(client, staff, submission)
        assert LAST not in page_of(client, teammate, submission)
        assert answer_of(client, teammate, submission)["mistake"] == ""

    @pytest.mark.parametrize(
        ("words", "more", "language"),
        [
            ((RIGHT, RIGHT, WRONG), {}, Language.CUDA),
            ((RIGHT, WRONG), {}, Language.CUDA),
            ((RIGHT, WRONG, Verdict.TIME_LIMIT), {}, Language.CUDA),
            ((RIGHT, RIGHT, RIGHT), {}, Language.CUDA),
            ((RIGHT, WRONG, WRONG), {}, Language.TRITON),
            ((RIGHT, WRONG, WRONG), {"environment": {"problem_version": "another"}}, Language.CUDA),
        ],
    )
    def test_anything_else_is_unclear(self, load, owner, client, words, more, language):
        submission = judged(owner, load("last.cu"), report_of(*words, **more), language=language)
        assert answer_of(client, owner, submission)["mistake"] == ""

    def test_two_with_one_explanation_are_one_and_others_are_unclear(self, load, owner, client, monkeypatch):
        monkeypatch.setitem(PATTERNS, "again.cu", PATTERNS["last.cu"])
        submission = judged(owner, load("last.cu", "again.cu"), report_of(*PATTERNS["last.cu"]))
        assert answer_of(client, owner, submission)["mistake"] == LAST
        monkeypatch.setitem(SOURCES, "again.cu", "// Wrong: another one.\n")
        submission = judged(owner, load("last.cu", "again.cu"), report_of(*PATTERNS["last.cu"]))
        assert answer_of(client, owner, submission)["mistake"] == ""

    def test_on_a_gpu_verdicts_of_a_cpu_may_differ(self, load, owner, client):
        problem = load("last.cu", gpu='gpu_verdicts = ["accepted"]\n')
        plain, gpu = report_of(*PATTERNS["last.cu"]), {"gpu": "NVIDIA H200"}
        assert answer_of(client, owner, judged(owner, problem, plain))["mistake"] == LAST
        ranked = judged(owner, problem, replace(plain, environment=gpu))
        assert answer_of(client, owner, ranked)["mistake"] == ""

    def test_runs_contests_and_hidden_problems_get_none(self, load, owner, staff, client):
        problem = load("last.cu")
        report = report_of(*PATTERNS["last.cu"])
        run = judged(owner, problem, report, mode=Mode.RUN)
        assert answer_of(client, owner, run)["mistake"] == ""
        submission = judged(owner, problem, report)
        now, hour = timezone.now(), timedelta(hours=1)
        track = Track.objects.create(
            slug="finals", title="Finals", contest_starts=now - hour, contest_ends=now + hour
        )
        Entry.objects.create(track=track, problem=problem, position=1)
        assert answer_of(client, owner, submission)["mistake"] == ""
        assert answer_of(client, staff, submission)["mistake"] == LAST
        track.delete()
        Problem.objects.update(published=False)
        assert answer_of(client, owner, submission)["mistake"] == ""

    def test_the_live_version_explains_older_ones_that_judge_alike(self, load, owner, client):
        submission = judged(owner, load("last.cu"), report_of(*PATTERNS["last.cu"]))
        PackageVersion.objects.update(mistakes=[])
        assert answer_of(client, owner, submission)["mistake"] == ""
        load("last.cu", "tail.py")
        assert PackageVersion.objects.count() == 2
        assert answer_of(client, owner, submission)["mistake"] == LAST
