"""`[score]`: the checker gives each right output a score within bounds, which reports show.

Without timed cases, the score also ranks programs. See docs/adr/0035-gradients-and-scores.md.
"""

from collections.abc import Sequence

from problems.faults import FILE, Faults
from problems.schema import Case, ScoreRule
from problems.table import TomlTable, kind_of
from problems.vocabulary import Better, Group

KEY = "score"
MAX_NUMBER = 1e9


def parse_score(top: TomlTable) -> ScoreRule | None:
    """The table `[score]` of problem.toml, None where there is none."""
    if not top.has(KEY):
        return None
    table = top.table(KEY)
    rule = ScoreRule(
        name=table.text("name", most=40, example='"Regret"'),
        better=table.choice("better", Better),
        least=_number(table, "least"),
        most=_number(table, "most"),
        unit=table.text("unit", most=12, example='"%"') if table.has("unit") else "",
        cases=table.texts("cases") if table.has("cases") else (),
    )
    if not rule.least < rule.most:
        table.fault("most", "must be greater than least")
    table.close()
    return rule


def _number(table: TomlTable, key: str) -> float:
    if not table.has(key):
        table.fault(key, f"missing; write {key} = 0")
        return float(key == "most")
    value = table.raw(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        table.fault(key, f"must be a number, not {kind_of(value)}")
    elif not -MAX_NUMBER <= value <= MAX_NUMBER:  # also rejects NaN
        table.fault(key, f"must be from {-MAX_NUMBER:g} to {MAX_NUMBER:g}")
    else:
        return float(value)
    return float(key == "most")


def check_score(rule: ScoreRule | None, cases: Sequence[Case], faults: Faults) -> None:
    """Check that the score names only hidden cases."""
    known = {case.name: case for case in cases}
    for index, name in enumerate(rule.cases if rule else ()):
        key = f"{KEY}.cases[{index}]"
        if name not in known:
            faults.add(FILE, key, f"{name!r} is not a case; the cases are {', '.join(known)}")
        elif known[name].public or known[name].group is Group.TIMED:
            faults.add(FILE, key, f"{name!r} is public or timed; name hidden cases of other groups")
