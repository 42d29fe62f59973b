"""The requirements on technique in problem.toml, as lines of text.

A line is `COUNTER RELATION BOUND in CASE, CASE: EXPLANATION`. The part with the cases is optional.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from problems.requirements import KEY
from problems.vocabulary import Counter, Relation
from web.authoring.editing.document import TableRow, change_tables, number, read_document, tables_of
from web.authoring.editing.values import number_at, text_at, texts_at

EXAMPLE = "shared_wavefronts_ratio at_most 1: Pad the tile, so that no access has a bank conflict."


class LineUnreadable(ValueError):
    """Raised when a line is not a requirement. The message is for its author."""


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """A requirement. `bound` is as the file writes it."""

    counter: str
    relation: str
    bound: str
    explanation: str
    cases: tuple[str, ...] = ()


def read_requirements(text: str) -> tuple[RequirementRow, ...]:
    """Return the requirements in the text of problem.toml. Raises DescriptionUnreadable."""
    found = []
    for table in tables_of(read_document(text), KEY):
        relation = next((known.value for known in Relation if known.value in table), Relation.AT_MOST.value)
        found.append(
            RequirementRow(
                text_at(table, "counter"),
                relation,
                number_at(table, relation),
                text_at(table, "explanation"),
                texts_at(table, "cases"),
            )
        )
    return tuple(found)


def write_requirements(text: str, rows: Sequence[RequirementRow]) -> str:
    """Return `text` with these requirements. Raises DescriptionUnreadable."""
    before = read_requirements(text)
    if tuple(rows) == before:
        return text
    known = [(row.counter, row.relation) for row in before]
    written = []
    for row in rows:
        pair = row.counter, row.relation
        values: dict[str, object] = {"counter": row.counter}
        values |= dict.fromkeys((relation.value for relation in Relation), None)
        values |= {row.relation: number(row.bound), "explanation": row.explanation}
        values["cases"] = list(row.cases) or None
        written.append(TableRow(known.index(pair) if pair in known else None, values))
    return change_tables(text, KEY, written)


def to_line(row: RequirementRow) -> str:
    """Return `row` as a line."""
    cases = f" in {', '.join(row.cases)}" if row.cases else ""
    return f"{row.counter} {row.relation} {row.bound}{cases}: {row.explanation}"


def parse_line(line: str) -> RequirementRow:
    """Return the requirement that `line` states. Raises LineUnreadable."""
    head, colon, explanation = line.partition(":")
    counter, relation, bound, *rest = [*head.split(), "", "", ""]
    if not (colon and explanation.strip() and bound) or rest[:1] not in ([""], ["in"]):
        raise LineUnreadable(f"Write each requirement like this: {EXAMPLE}")
    if counter not in [*Counter]:
        raise LineUnreadable(f"{counter[:40]!r} is not a counter. Use one of {', '.join(Counter)}.")
    if relation not in [*Relation]:
        raise LineUnreadable(f"{relation[:40]!r} is not a relation. Use one of {', '.join(Relation)}.")
    try:
        number(bound)
    except ValueError as error:
        raise LineUnreadable(f"{error}.") from error
    names = (name.strip() for name in " ".join(rest[1:]).split(","))
    return RequirementRow(counter, relation, bound, explanation.strip(), tuple(filter(None, names)))
