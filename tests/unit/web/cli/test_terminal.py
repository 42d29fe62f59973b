"""Tests that a terminal shows texts of sites and programs, but executes none of their control sequences."""

import re
from typing import Any

import pytest
from typer.testing import CliRunner

from web.cli import exits, show, terminal
from web.cli.app import app
from web.cli.watch import watch

COLOURS = re.compile(r"\x1b\[[0-9;?]*[mKhlAG]|\r")  # those that rich makes
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b\x90\u202e[link=https://evil.example]x[/link]:smile:"
SCORE = {"median_us": 1.0, "low_us": 1.0, "high_us": 1.0}
MISMATCH = {"argument": HOSTILE, "index": [0], "expected": HOSTILE, "got": HOSTILE}
CASE = {
    "name": HOSTILE,
    "verdict": HOSTILE,
    "timing": None,
    "wall_ms": 1.0,
    "message": HOSTILE,
    "mismatches": [MISMATCH],
}
KERNEL = {
    "name": HOSTILE, "registers": HOSTILE, "shared_bytes": 1, "stack_bytes": 1,
    "spill_store_bytes": 1, "spill_load_bytes": 1,
}  # fmt: skip
REPORT = {
    "cases": [CASE],
    "diagnostics": [{"severity": HOSTILE, "line": 1, "message": HOSTILE}],
    "kernels": [KERNEL],
    "log": HOSTILE,
    "output": HOSTILE,
}
SUBMISSION = {
    "id": HOSTILE, "problem": HOSTILE, "language": HOSTILE, "verdict": HOSTILE, "message": HOSTILE,
    "mode": "run", "created": HOSTILE, "score": SCORE, "report": REPORT,
    "not_run": [{"name": HOSTILE}],
}  # fmt: skip
EXPLAINED = dict.fromkeys(("kind", "title", "line", "evidence", "why", "check", "url"), HOSTILE)
COUNTS = {
    "kernel": HOSTILE,
    **dict.fromkeys(("global_requests", "sectors", "necessary_sectors", "shared_requests"), HOSTILE),
    **dict.fromkeys(("wavefronts", "necessary_wavefronts", "atomic_requests", "atomic_turns"), HOSTILE),
    **dict.fromkeys(("branches", "divergent_branches"), HOSTILE),
}
DIAGNOSED = SUBMISSION | {"report": {"diagnosis": {"findings": [EXPLAINED], "counts": [COUNTS]}}}
PROBLEM = {
    "slug": HOSTILE, "title": HOSTILE, "difficulty": HOSTILE, "languages": [HOSTILE], "submitted": 0,
    "accepted": 0, "solved": False,
}  # fmt: skip
STANDING = {"rank": 1, "tied": False, "username": HOSTILE, "score": SCORE, "roofline_percent": None}
BOARD = {"board": {"gpu": HOSTILE, "language": HOSTILE}, "rows": [STANDING], "note": HOSTILE}
WORKSPACE = {
    "slug": HOSTILE,
    "title": HOSTILE,
    "state": HOSTILE,
    "role": HOSTILE,
    "revision": 1,
    "changed": HOSTILE,
}
VERSION = {"number": 1, "live": True, "archived": False, "created": HOSTILE, "by": HOSTILE, "note": HOSTILE}
FINDING = {"severity": HOSTILE, "place": HOSTILE, "text": HOSTILE, "fix": HOSTILE}
PROOF = {"state": "done", "report": {"findings": [FINDING]}, "failure": HOSTILE, "holds": True}
SHOWN = {
    "problems": show.problems([PROBLEM]),
    "submissions": show.submissions([SUBMISSION]),
    "submission": show.submission(SUBMISSION),
    "diagnosis": show.diagnosis(DIAGNOSED, file=HOSTILE, site=HOSTILE),
    "leaderboard": show.leaderboard(BOARD),
    "workspaces": show.workspaces([WORKSPACE]),
    "versions": show.versions([VERSION]),
    "proof": show.proof(PROOF),
    "difference": show.difference([HOSTILE]),
    "sentence": HOSTILE,
}


def obeyed(text: str) -> list[str]:
    """The commands to a terminal in `text`, without those for colours."""
    return re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", COLOURS.sub("", text))


@pytest.mark.parametrize("colours", ["1", ""])
@pytest.mark.parametrize("what", SHOWN)
def test_what_a_site_says_is_shown_and_not_obeyed(what, colours, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", colours)
    monkeypatch.setenv("COLUMNS", "2000")
    terminal.answer({}, as_json=False, shown=SHOWN[what])
    printed = capsys.readouterr().out
    assert obeyed(printed) == []
    assert "[link=https://evil.example]x" in printed, "it is no markup either"


def test_nor_is_a_refusal_or_json(capsys):
    with pytest.raises(SystemExit):
        terminal.fail(HOSTILE, 1)
    terminal.print_json({HOSTILE: HOSTILE})
    printed = capsys.readouterr()
    assert obeyed(printed.out + printed.err) == []


class Site:
    """Tells of one step."""

    def follow(self, _: str) -> list[Any]:
        return [type("Step", (), {"kind": "case", "body": {"text": HOSTILE}})]

    def get(self, _: str) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize("colours", ["1", ""])
def test_nor_is_a_step_of_a_judgement(colours, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", colours)
    watch(Site(), "abc", terminal.progress())
    assert obeyed(capsys.readouterr().err) == []


def test_a_pipe_gets_whole_lines(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    terminal.answer({}, as_json=False, shown=show.problems([PROBLEM | {"title": "word " * 60}]))
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_the_version_is_told():
    told = CliRunner().invoke(app, ["--version"])
    assert told.exit_code == 0
    assert re.fullmatch(r"warpcourt (\d+\.\d+\.\d+|from a checkout)\n", told.output)
    assert "--install-completion" in CliRunner().invoke(app, ["--help"]).output


def test_login_refuses_another_scheme_before_it_asks_for_a_password() -> None:
    told = CliRunner().invoke(app, ["login", "ftp://court.example.org"])
    assert told.exit_code == exits.USAGE
    assert "is not the address of a site" in told.output
    assert "Username" not in told.output


def test_the_epilog_covers_the_status_of_every_verdict() -> None:
    judged = [status for status in exits.BY_VERDICT.values() if status]
    assert f"{min(judged)} to {max(judged)}" in app.info.epilog
