"""Writes statement.md: the set's text, and the sections of a Warpcourt statement."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from problems.importing.cases import Cases, PlannedCase, literal
from problems.importing.described import Array, Scalar
from problems.importing.planning import Plan, PlannedArgument
from problems.importing.toml import bytes_formula
from problems.vocabulary import Dtype, Group, Role

_HEADING = re.compile(r"## ++(.+)")


@dataclass(frozen=True, slots=True)
class StatementSection:
    """A part of a text under one heading of the second level; the first has none."""

    title: str
    body: str


def sections_of(markdown: str) -> list[StatementSection]:
    """Return the text in sections. Headings within code are treated as text."""
    found = [StatementSection("", "")]
    lines: list[str] = []
    fence = ""
    for line in markdown.splitlines():
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and line.strip().startswith(fence):
            fence = ""
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            found[-1] = StatementSection(found[-1].title, "\n".join(lines).strip())
            found.append(StatementSection(heading[1].rstrip().rstrip("#").strip() or "#", ""))
            lines = []
        else:
            lines.append(line)
    found[-1] = StatementSection(found[-1].title, "\n".join(lines).strip())
    return found


def summary_of(markdown: str) -> str:
    """Return the first sentence of the text, without markup."""
    body = re.sub(r"\$\$.*?\$\$|```.*?```|!\[[^\]]{0,400}+\]\([^)]{0,400}+\)", " ", markdown, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", body):
        plain = re.sub(r"\[([^\]]{0,400}+)\]\([^)]{0,400}+\)", r"\1", paragraph)
        plain = re.sub(
            r"\\(.)", r"\1", re.sub(r"[`*$]|\\(?=[a-zA-Z])|^[-#>|].*$", "", plain, flags=re.MULTILINE)
        )
        plain = " ".join(plain.split())
        if len(plain) > 8:
            sentence = re.split(r"(?<=[.!?:])\s", plain)[0].rstrip(":")
            return sentence if len(sentence) <= 200 else sentence[:196].rsplit(" ", 1)[0] + " …"
    return "Imported problem."


def statement_text(markdown: str, plan: Plan, cases: Cases, operations: str, *, checks: bool = False) -> str:
    """Return the statement: the task, the arguments, then the set's sections and Warpcourt's."""
    task, constraints, rest = "", "", []
    for section in sections_of(markdown):
        if not section.title:
            task = section.body
        elif re.match(r"constraints?\b", section.title, re.IGNORECASE):
            constraints = section.body
        elif re.match(r"(example|what bounds it)", section.title, re.IGNORECASE):
            rest.append(StatementSection(f"{section.title.rstrip(': ')} of the set", section.body))
        else:
            rest.append(section)
    sample = next(case for case in cases.cases if case.group is Group.SAMPLE)
    parts = [
        task or plan.title,
        _arguments(plan),
        *(f"## {section.title}\n\n{section.body}" for section in rest if not _is_example(section)),
        "## Example\n\n" + _example(plan, sample),
        *(f"## {section.title}\n\n{section.body}" for section in rest if _is_example(section)),
        "## Constraints\n\n"
        + "\n".join(filter(None, [constraints, "", _tolerances(plan, checks=checks)])).strip(),
        "## What bounds it\n\n" + _bound(plan, operations),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _is_example(section: StatementSection) -> bool:
    return section.title.lower().startswith("example")


def _arguments(plan: Plan) -> str:
    rows = ["| argument | role | type |", "|---|---|---|"]
    for argument in plan.arguments:
        name = f"`{argument.ours}`"
        if argument.theirs != argument.ours:
            name += f" (`{argument.theirs}` in the text)"
        if argument.role is Role.SCALAR:
            kind = f"{argument.dtype}, `{plan.sizes.values[argument.ours]}`"
        else:
            extents = " \u00d7 ".join(f"`{text}`" for text in plan.sizes.shapes[argument.ours])
            kind = f"{argument.dtype}, {extents}"
        rows.append(f"| {name} | {argument.role} | {kind} |")
    return "\n".join(rows)


def _example(plan: Plan, sample: PlannedCase) -> str:
    sizes = ", ".join(f"`{name}` = {value}" for name, value in sample.sizes.items())
    if sample.test is None or not sample.inputs:
        return f"{sizes}. The contents are random and different for each run."
    rows = ["| argument | contents |", "|---|---|"]
    for argument in plan.arguments:
        value = sample.test.values[argument.theirs]
        if isinstance(value, Scalar):
            rows.append(f"| scalar `{argument.ours}` | {_rounded(value.value)} |")
    for argument in plan.arrays:
        if argument.role is not Role.OUT:
            given = sample.inputs[argument.ours]
            rows.append(f"| input `{argument.ours}` | {_listed(given)} |")
    for argument in plan.arrays:
        expected = sample.test.expected.get(argument.theirs)
        if argument.written and expected is not None:
            rows.append(f"| output `{argument.ours}` | {_listed(_shown(argument, expected))} |")
    return f"{sizes}:\n\n" + "\n".join(rows)


def _shown(argument: PlannedArgument, expected: Array) -> Sequence[str]:
    if expected.flat is None:
        return ("not shown",)
    if argument.dtype.is_float:
        return [_rounded(number) for number in expected.flat]
    return [literal(number, Dtype.INT64) for number in expected.flat]


def _rounded(number: float) -> str:
    return str(int(number)) if number == int(number) and abs(number) < 1e9 else f"{number:.6g}"


def _listed(numbers: Sequence[str]) -> str:
    return ", ".join(numbers)


def _tolerances(plan: Plan, *, checks: bool) -> str:
    own = "- The set's own check accepts or rejects all outputs together."
    lines = [own] if checks else []
    for argument in plan.arrays:
        if argument.written and not checks:
            lines.append(_accuracy(plan, argument))
        if argument.zeroed:
            lines.append(f"- `{argument.ours}` holds zeros before each call.")
        if argument.role is Role.INOUT:
            lines.append(
                f"- `{argument.ours}` has initial contents; elements that are not written keep them."
            )
    return "\n".join(lines)


def _accuracy(plan: Plan, argument: PlannedArgument) -> str:
    if not argument.dtype.is_float or not (plan.absolute or plan.relative):
        return f"- Every element of `{argument.ours}` must be exact."
    return (
        f"- Each element of `{argument.ours}` may differ by {plan.absolute:g} plus "
        f"{plan.relative:g} times the expected value."
    )


def _bound(plan: Plan, operations: str) -> str:
    return (
        f"A program transfers at least `{bytes_formula(plan)}` bytes to and from memory and needs about "
        f"`{operations}` operations."
    )
