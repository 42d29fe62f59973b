"""What the command prints."""

import io

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
