"""API responses as tables and lines for a terminal."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .client import Body
from .diagnosis import diagnosis_lines

NONE = "\N{EN DASH}"
# Control characters that move the cursor, change the title or reverse text; line breaks and tabs stay.
CONTROLS = dict.fromkeys(
    (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    "\N{REPLACEMENT CHARACTER}",
)
_STYLES = {"accepted": "green", "internal_error": "magenta", "cancelled": "dim", None: "blue"}
_LIMITS = {"time_limit", "memory_limit", "output_limit", "requirement_missed"}
_DIFFICULTIES = {"easy": "green", "medium": "yellow", "hard": "red"}


def verdict(word: str | None) -> Text:
    """A verdict in its colour; `judging` if there is none yet."""
    style = _STYLES.get(word, "yellow" if word in _LIMITS else "red")
    return Text((word or "judging").replace("_", " "), style=f"bold {style}")


def microseconds(value_us: float | None) -> str:
    """A time to about four significant digits, in µs or ms."""
    if value_us is None:
        return NONE
    value, unit = (value_us, "µs") if value_us < 1000 else (value_us / 1000, "ms")
    return f"{value:.{3 if value < 10 else 2 if value < 100 else 1}f} {unit}"


def problems(rows: Iterable[Body]) -> Table:
    """Problems, one a line."""
    table = _table("", "Problem", "Title", "Difficulty", "Languages", ">Accepted")
    for row in rows:
        judged = row["submitted"]
        share = f"{100 * row['accepted'] / judged:.0f} %" if judged else NONE
        mark = Text("\N{CHECK MARK}", style="green") if row["solved"] else Text("")
        level = Text(row["difficulty"], style=_DIFFICULTIES.get(row["difficulty"], ""))
        table.add_row(mark, row["slug"], row["title"], level, ", ".join(row["languages"]), share)
    return table


def submissions(rows: Iterable[Body]) -> Table:
    """Submissions, one a line."""
    table = _table("Submission", "Problem", "Language", "Verdict", ">Time", "Submitted")
    for row in rows:
        created = row["created"].replace("T", " ")[:16]
        label = f"{row['problem']} (run)" if row["mode"] == "run" else row["problem"]
        table.add_row(row["id"], label, row["language"], verdict(row["verdict"]), _score(row), created)
    return table


def submission(row: Body) -> RenderableType:
    """A submission with its report."""
    head = Text.assemble(verdict(row["verdict"]), f"  {row['problem']}, {row['language']}, {row['id']}")
    parts: list[RenderableType] = [head]
    if row.get("personal_node"):
        parts.append(Text("Judged on its author's own node. This run does not count.", style="dim"))
    leading = (row["report"] or {}).get("headline")
    if leading:
        parts.append(_finding(leading))
    repeated = leading and (leading["message"] in row["message"] or row["message"] in leading["message"])
    if row["message"] and not repeated:
        parts.append(clean(row["message"]))
    if row.get("mistake"):
        parts.append(Text.assemble("You may have made this mistake: ", clean(row["mistake"])))
        parts.append(Text("Your program may fail for another reason.", style="dim"))
    if row["score"]:
        score = row["score"]
        interval = f"{microseconds(score['low_us'])} to {microseconds(score['high_us'])}"
        parts.append(Text(f"score {microseconds(score['median_us'])}, 95 % interval {interval}"))
    if row["report"]:
        parts += _report(row["report"], row.get("not_run", ()), said=[row["message"]])
    return Group(*parts)


def _profile(profile: Body) -> list[RenderableType]:
    """The launches of a profiled run: their times, and how busy memory and arithmetic were."""
    if profile["missing"]:
        return [Text.assemble("There is no profile. ", clean(profile["missing"]))]
    table = _table("Launch", ">Time", ">Memory", ">Compute")
    for launch in profile["launches"]:
        metrics = launch["metrics"]
        duration = metrics.get("duration_ns")
        shares = (metrics.get(f"{unit}_throughput_percent") for unit in ("memory", "compute"))
        table.add_row(
            clean(launch["kernel"]),
            NONE if duration is None else microseconds(duration / 1000),
            *(NONE if share is None else f"{share:.0f} %" for share in shares),
        )
    return [table]


def diagnosis(row: Body, *, file: str, site: str) -> RenderableType:
    """The findings and counts of a run that is done, under its verdict."""
    parts: list[RenderableType] = [
        Text.assemble(verdict(row["verdict"]), f"  {row['problem']}, {row['language']}, {row['id']}")
    ]
    if row["message"]:
        parts.append(clean(row["message"]))
    if row["report"]:
        lines = diagnosis_lines(row["report"]["diagnosis"], file=file, site=site)
        parts += [Text(""), clean("\n".join(lines))]
    return Group(*parts)


def hints(body: Body, *, last_only: bool) -> RenderableType:
    """The opened hints of a problem, or only the last one."""
    if body["closed"]:
        return Text("A contest with this problem is running. Hints open when it ends.")
    if not body["opened"]:
        return Text(f"No hint is open. The problem has {body['total']}." if body["total"] else "No hints.")
    numbered = list(enumerate(body["opened"], start=1))
    parts: list[RenderableType] = []
    for number, text in numbered[-1:] if last_only else numbered:
        parts += [Text(f"Hint {number} of {body['total']}", style="bold"), clean(text)]
    return Group(*parts)


def leaderboard(body: Body) -> RenderableType:
    """The standings of one board."""
    by_checker = any(row.get("checker_score") is not None for row in body["rows"])
    table = _table(">#", "User", ">Score" if by_checker else ">Time", ">95 % interval", ">Roofline")
    for row in body["rows"]:
        score = row["score"]
        rank = NONE if row["rank"] is None else f"{row['rank']}{'=' if row['tied'] else ''}"
        if by_checker:
            table.add_row(rank, row["username"], f"{row['checker_score']:.6g}", NONE, NONE)
            continue
        interval = f"{microseconds(score['low_us'])} to {microseconds(score['high_us'])}" if score else NONE
        percent = NONE if row["roofline_percent"] is None else f"{row['roofline_percent']:.0f} %"
        table.add_row(rank, row["username"], _score(row), interval, percent)
    board = body["board"]
    name = f"{board['gpu']}, {board['language']}" if board and board["gpu"] else "Solved by"
    title = Text(name, style="bold")
    return Group(title, table, Text(body["note"], style="dim"))


def workspaces(rows: Iterable[Body]) -> Table:
    """Problems that are being written, one a line."""
    table = _table("Problem", "Title", "State", "Your role", ">Revision", "Changed")
    for row in rows:
        changed = row["changed"].replace("T", " ")[:16]
        role = row["role"] or "staff"
        table.add_row(row["slug"], clean(row["title"]), row["state"], role, str(row["revision"]), changed)
    return table


def versions(rows: Iterable[Body]) -> Table:
    """Versions that were published, one a line."""
    table = _table(">Version", "State", "Created", "By", "Changes")
    for row in rows:
        state = "live" if row["live"] else "archived" if row["archived"] else ""
        made = row["created"].replace("T", " ")[:16]
        table.add_row(str(row["number"]), state, made, clean(row["by"] or ""), clean(row["note"]))
    return table


def proof(run: Body) -> RenderableType:
    """The findings and the result of a proof."""
    if run["state"] == "cancelled":
        return Text("The proof was cancelled.")
    parts: list[RenderableType] = []
    for entry in (run["report"] or {}).get("findings", ()):
        style = "red" if entry["severity"] == "error" else "yellow"
        head = Text.assemble((entry["severity"], style), ": ", clean(f"{entry['place']}: {entry['text']}"))
        further = [*entry.get("details", ()), entry["fix"]]
        parts += [head, *(Padding(clean(text), (0, 0, 0, 4), expand=False) for text in further)]
    if run["failure"]:
        parts.append(clean(run["failure"]))
    parts.append(Text("proved", style="bold green") if run["holds"] else Text("NOT proved", style="bold red"))
    return Group(*parts)


def trial(run: Body) -> RenderableType:
    """The verdicts of the solutions of a trial, with the reason for each failure."""
    if run["state"] == "cancelled":
        return Text("The run was cancelled.")
    if run["failure"]:
        return clean(run["failure"])
    table = _table("Solution", "Verdict", "Expected", ">Time")
    further: list[RenderableType] = []
    for row in run["report"]["outcomes"]:
        expected = verdict(row["expected"]) if row["expected"] else Text("any failure", style="dim")
        table.add_row(row["program"], verdict(row["verdict"]), expected, _milliseconds(row["ms"]))
        texts = dict.fromkeys(text for text in (row["message"], *row["findings"]) if text)
        if row["verdict"] != "accepted" and texts:
            further.append(clean(f"{row['program']}:"))
            further += [Padding(clean(text), (0, 0, 0, 4), expand=False) for text in texts]
    end = (
        Text("as expected", style="bold green") if run["holds"] else Text("NOT as expected", style="bold red")
    )
    return Group(table, *further, end)


def difference(lines: Sequence[str]) -> Text:
    """A unified diff in colours."""
    shown = Text()
    for line in lines:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        shown.append(f"{line.translate(CONTROLS)}\n", style=style)
    return shown


def step(body: Mapping[str, Any], kind: str) -> str:
    """One line for a progress event."""
    return str(body.get("text") or kind.replace("_", " "))


def plain(console: Console, text: str) -> None:
    """Print `text` without markup, because it may come from a program."""
    console.print(clean(text), soft_wrap=True)


def clean(text: str) -> Text:
    """`text` without terminal control characters."""
    return Text(text.translate(CONTROLS))


def _report(report: Body, not_run: Sequence[Body], said: Iterable[str]) -> list[RenderableType]:
    """The parts of a report. The messages of cases that were `said` before, or are findings, are left out."""
    parts: list[RenderableType] = []
    known = {"", *said, *(entry["message"] for entry in report["diagnostics"])}
    if report["cases"]:
        table = _table("Case", "Verdict", ">Time", "Mismatches")
        for case in report["cases"]:
            timing = case["timing"]
            took = microseconds(timing["median_us"]) if timing else _milliseconds(case["wall_ms"])
            table.add_row(case["name"], verdict(case["verdict"]), took, _mismatches(case, known))
        for case in not_run:
            table.add_row(clean(case["name"]), Text("not run", style="dim"), NONE, "")
        parts += [table, _tally(report["cases"], not_run)]
    if report.get("checker_score") is not None:
        parts.append(Text(f"score {report['checker_score']:.6g}", style="bold"))
    if report.get("requirements"):
        parts.append(_requirements(report["requirements"]))
    parts += _findings(report["diagnostics"], known=report.get("headline"))
    if report["kernels"]:
        parts.append(_kernels(report["kernels"]))
    if report.get("profile"):
        parts += _profile(report["profile"])
    for name in ("log", "output"):
        if report[name]:
            parts += [
                Text(f"{name}:", style="bold"),
                Padding(clean(report[name].rstrip()), (0, 0, 0, 2), expand=False),
            ]
    return parts


def _requirements(rows: Iterable[Body]) -> Table:
    table = _table("Requirement", "Bound", ">Measured", "State", ">Line", "Call")
    styles = {"met": "green", "missed": "yellow"}
    for row in rows:
        name, bound = (
            row["counter"].replace("_", " "),
            f"{row['relation'].replace('_', ' ')} {_figure(row['bound'])}",
        )
        measured = NONE if row["measured"] is None else _figure(row["measured"])
        state = Text("not checked" if row["state"] == "unchecked" else row["state"])
        state.stylize(styles.get(row["state"], "dim"))
        line, call = str(row["line"] or NONE), clean(row.get("call") or NONE)
        table.add_row(clean(name), clean(bound), measured, state, line, call)
    return table


def _figure(value: float) -> str:
    """A whole number in full, any other to six digits."""
    return f"{value:.0f}" if value == int(value) else f"{value:.6g}"


def _tally(cases: Sequence[Body], not_run: Sequence[Body]) -> Text:
    passed = sum(case["verdict"] == "accepted" for case in cases)
    left = f", {len(not_run)} not run" if not_run else ""
    return Text(f"{passed} of {len(cases) + len(not_run)} cases passed{left}", style="dim")


def _findings(entries: Iterable[Body], known: Body | None) -> list[RenderableType]:
    """The findings except `known`. Equal findings are one line with their number."""
    shown = (entry for entry in entries if entry != known and entry.get("kind") != "counts")
    texts = Counter(_finding(entry).plain for entry in shown)
    return [clean(f"{text} ({count} times)" if count > 1 else text) for text, count in texts.items()]


def _finding(entry: Body) -> Text:
    number, message = entry["line"], entry["message"]
    line = f"line {number}: " if number and not re.search(rf"\bline {number}\b", message) else ""
    return clean(f"{entry['severity']}: {line}{message}")


def _mismatches(case: Body, known: Collection[str]) -> Text:
    told = [
        f"{entry['argument']}[{', '.join(map(str, entry['index']))}]: "
        f"{_expected(entry['expected'])}got {entry['got']}"
        for entry in case["mismatches"][:3]
    ]
    return clean("\n".join(told if case["message"] in known else [case["message"], *told]))


def _expected(value: str) -> str:
    """An expected value; empty if a checker decides."""
    return f"expected {value}, " if value else ""


def _kernels(kernels: Iterable[Body]) -> Table:
    table = _table("Kernel", ">Registers", ">Shared", ">Stack", ">Spilled")
    for kernel in kernels:
        spilled = kernel["spill_store_bytes"] + kernel["spill_load_bytes"]
        figures = (f"{kernel['shared_bytes']} B", f"{kernel['stack_bytes']} B", f"{spilled} B")
        table.add_row(clean(kernel["name"]), str(kernel["registers"]), *figures)
    return table


def _table(*names: str) -> Table:
    """A table without borders. A name that begins with `>` makes a right-aligned column."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in names:
        justify: Literal["left", "right"] = "right" if name.startswith(">") else "left"
        # Wrap long texts instead of cutting them off.
        table.add_column(name.lstrip(">"), justify=justify, overflow="fold")
    return table


def _score(row: Body) -> str:
    return microseconds(row["score"]["median_us"]) if row["score"] else NONE


def _milliseconds(value_ms: float | None) -> str:
    return NONE if value_ms is None else f"{value_ms:.1f} ms"
