"""Tests the output of the command."""

import io

import pytest
from rich.console import Console

from problems.vocabulary import Verdict
from web.cli import exits, show


def printed(shown: object) -> str:
    text = io.StringIO()
    Console(file=text, width=100).print(shown)
    return text.getvalue()


def test_every_verdict_has_an_exit_status_of_its_own() -> None:
    assert set(exits.BY_VERDICT) == {verdict.value for verdict in Verdict}
    assert len(set(exits.BY_VERDICT.values())) == len(Verdict)
    assert exits.of_verdict("accepted") == 0
    assert exits.of_verdict("a verdict of next year") == exits.FAILED


def test_nothing_that_a_program_says_reaches_the_terminal_as_a_command() -> None:
    row = {
        "verdict": "compile_error",
        "problem": "sort",
        "language": "cuda",
        "id": "abc",
        "message": "[red]\x1b]0;owned\x07 x",
        "score": None,
        "report": {"cases": [], "diagnostics": [], "kernels": [], "log": "\x1b[2Jgone\x9b", "output": ""},
    }
    text = printed(show.submission(row))
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "[red]" in text


def test_hints_are_numbered_and_cleaned() -> None:
    body = {"total": 3, "closed": False, "opened": ["Look.", "Guard\x1b[2J it."]}
    both, last = printed(show.hints(body, last_only=False)), printed(show.hints(body, last_only=True))
    assert "Hint 1 of 3" in both
    assert "Hint 1 of 3" not in last
    assert "Hint 2 of 3" in last
    assert "\x1b" not in both
    assert "No hint is open. The problem has 3." in printed(show.hints(body | {"opened": []}, last_only=True))
    assert "contest" in printed(show.hints(body | {"closed": True}, last_only=True))


def test_times_have_four_digits_or_so() -> None:
    assert [show.microseconds(value) for value in (None, 3.6721, 118.84, 1204.0)] == [
        show.NONE,
        "3.672 µs",
        "118.8 µs",
        "1.204 ms",
    ]


def test_a_difference_shows_every_line() -> None:
    assert printed(show.difference(["--- a", "+++ b", "-old", "+new"])).split() == [
        "---",
        "a",
        "+++",
        "b",
        "-old",
        "+new",
    ]


TRIED = {
    "state": "done",
    "failure": "",
    "holds": False,
    "report": {
        "outcomes": [
            {"program": "solutions/plain.cu", "verdict": "wrong_answer", "expected": "accepted", "ms": 12.5}
            | {"message": "c[0] is wrong", "findings": ["c[0] is wrong"]},
            {"program": "solutions/zero.cu", "verdict": "wrong_answer", "expected": None, "ms": 3}
            | {"message": "", "findings": []},
        ]
    },
}


def test_a_trial_says_what_each_solution_got() -> None:
    text = printed(show.trial(TRIED))
    assert text.count("c[0] is wrong") == 1
    assert "any failure" in text
    assert "NOT as expected" in text
    assert "as expected" in printed(show.trial(TRIED | {"holds": True}))
    assert "cancelled" in printed(show.trial(TRIED | {"state": "cancelled"}))
    assert "no reference" in printed(show.trial(TRIED | {"failure": "no reference"}))


def test_no_slug_is_cut_off() -> None:
    slug = "a-problem-with-a-name-as-long-as-a-name-may-be-and-no-character-less"
    row = {"slug": slug, "title": "Some words " * 9, "difficulty": "easy", "languages": ["cuda", "triton"]}
    text = io.StringIO()
    Console(file=text, width=80).print(show.problems([row | {"submitted": 0, "accepted": 0, "solved": True}]))
    assert "\N{HORIZONTAL ELLIPSIS}" not in text.getvalue()
    folded = "".join(line[2:].split("  ")[0].strip() for line in text.getvalue().splitlines()[1:])
    assert slug in folded


def test_equal_notes_are_one_line() -> None:
    note = {"severity": "note", "line": 3, "message": "solve declares n with 32 bits"}
    report = {"cases": [], "diagnostics": [note] * 6, "kernels": [], "log": "", "output": ""}
    row = {
        "verdict": "accepted",
        "problem": "sort",
        "language": "cuda",
        "id": "a",
        "message": "",
        "score": None,
    }
    text = printed(show.submission(row | {"report": report}))
    assert "note: line 3: solve declares n with 32 bits (6 times)" in text
    assert text.count("32 bits") == 1


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Line 5 writes it.", "error: line 22: Line 5 writes it."),
        ("line 2 writes what line 22 reads", "error: line 2 writes what line 22 reads"),
        ("line 220 is too long", "error: line 22: line 220 is too long"),
    ],
)
def test_a_line_that_a_message_names_is_not_repeated(message: str, shown: str) -> None:
    finding = {"severity": "error", "line": 22, "message": message, "kind": "race"}
    report = {"cases": [], "diagnostics": [finding], "kernels": [], "log": "", "output": ""}
    row = {"verdict": "wrong_answer", "problem": "sort", "language": "cuda", "id": "a", "message": ""}
    text = printed(show.submission(row | {"report": report, "score": None}))
    assert [line.strip() for line in text.splitlines() if "error" in line] == [shown]


def test_a_finding_is_not_repeated_in_the_table_of_cases() -> None:
    message = "Stream 2 reads x before its copy is over. " * 6
    case = {"name": "odd", "verdict": "wrong_answer", "timing": None, "wall_ms": 1.0, "mismatches": []}
    finding = {"severity": "error", "line": 3, "message": message, "kind": "hazard"}
    report = {"cases": [case | {"message": message}], "diagnostics": [finding], "kernels": []}
    row = {"verdict": "wrong_answer", "problem": "sort", "language": "cuda", "id": "a", "message": ""}
    mistake = {"mistake": "Forgets to wait.", "score": None}
    text = printed(show.submission(row | mistake | {"report": report | {"log": "", "output": ""}}))
    assert " ".join(text.split()).count(message.strip()) == 1
    assert "You may have made this mistake: Forgets to wait." in text
    assert "another reason" in text


def test_each_requirement_has_a_row() -> None:
    missed = {
        "counter": "shared_wavefronts_ratio",
        "relation": "at_most",
        "bound": 1.0,
        "state": "missed",
        "measured": 16.5,
        "line": 25,
    }
    unknown = {
        "counter": "launches",
        "relation": "equals",
        "bound": 2.0,
        "state": "unchecked",
        "measured": None,
        "line": None,
    }
    report = {"cases": [], "diagnostics": [], "kernels": [], "log": "", "output": ""}
    row = {
        "verdict": "requirement_missed",
        "problem": "conflict-free-transpose",
        "language": "cuda",
        "id": "a",
        "message": "",
        "score": None,
        "report": report | {"requirements": [missed, unknown]},
    }
    lines = [line.split() for line in printed(show.submission(row)).splitlines()]
    assert ["shared", "wavefronts", "ratio", "at", "most", "1", "16.5", "missed", "25", show.NONE] in lines
    assert ["launches", "equals", "2", show.NONE, "not", "checked", show.NONE, show.NONE] in lines
