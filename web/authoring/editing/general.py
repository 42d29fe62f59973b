"""The values that problem.toml states once: languages, limits, the given program and formulas."""

from collections.abc import Sequence
from dataclasses import dataclass

from problems.schema import ProblemLimits
from problems.vocabulary import Language
from web.authoring.editing.document import (
    change_table,
    change_top,
    inline,
    number,
    read_document,
    table_of,
)
from web.authoring.editing.values import in_order_of, integers_at, number_at, text_at, texts_at

USUAL_LANGUAGES = (Language.CUDA.value, Language.TRITON.value)
LIMITS = ("compile_s", "case_s", "memory_mib", "source_kib")


@dataclass(frozen=True, slots=True)
class LimitRow:
    """The limits of a submission. Numbers are as the file writes them, or empty if the file omits them.

    An empty `gpus` allows any model. `libraries` is None if all libraries are allowed. `device_launches` says
    whether kernels may launch kernels. `gpu_count` is the number of GPUs that a program uses, as the file
    writes it, empty for one, and `ranks` is the number of its processes, likewise. `sizes` are the names of
    sizes and their greatest values in custom cases.
    """

    languages: tuple[str, ...]
    numbers: dict[str, str]
    gpus: tuple[str, ...] = ()
    libraries: tuple[str, ...] | None = None
    device_launches: bool = False
    gpu_count: str = ""
    sizes: tuple[tuple[str, str], ...] = ()
    ranks: str = ""


@dataclass(frozen=True, slots=True)
class FixRow:
    """The programs to correct: files in `solutions/`, numbers as the file writes them, lines.

    All values are empty if the problem gives no program.
    """

    given: tuple[str, ...] = ()
    changes: str = ""
    protected: tuple[str, ...] = ()
    tokens: str = ""


@dataclass(frozen=True, slots=True)
class UnderTestRow:
    """The cases whose programs are faulty, and how many of them must be killed, as the file writes it.

    All values are empty if submissions are not tests.
    """

    faulty: tuple[str, ...] = ()
    least_killed: str = ""


@dataclass(frozen=True, slots=True)
class FormulaRow:
    """The formulas for the bytes and operations that every program needs, and the tiers of speed."""

    bytes_moved: str
    operations: str
    tiers: tuple[int, ...] = ()


def read_limits(text: str) -> LimitRow:
    """Return the limits in the text of problem.toml. Raises DescriptionUnreadable."""
    document = read_document(text)
    table = table_of(document, "limits")
    sizes = table_of(table, "sizes")
    return LimitRow(
        texts_at(document, "languages") or USUAL_LANGUAGES,
        {name: number_at(table, name) for name in LIMITS},
        texts_at(table, "gpus"),
        texts_at(table, "libraries") if "libraries" in table else None,
        table.get("device_launches") is True,
        number_at(document, "gpus"),
        tuple((name, number_at(sizes, name)) for name in sizes),
        number_at(document, "ranks"),
    )


def write_limits(text: str, row: LimitRow) -> str:
    """Return `text` with these limits. Omitted limits have their defaults. Raises DescriptionUnreadable."""
    before = read_limits(text)
    together = number(row.gpu_count) if row.gpu_count else None
    ranks = number(row.ranks) if row.ranks else None
    text = change_top(text, {"languages": _languages(text, row.languages), "gpus": together, "ranks": ranks})
    values: dict[str, object] = {
        name: number(value) if value.strip() else None for name, value in row.numbers.items()
    }
    values["gpus"] = list(row.gpus) or None
    values["libraries"] = (
        None if row.libraries is None else in_order_of(before.libraries or (), row.libraries)
    )
    values["device_launches"] = True if row.device_launches else None
    if row.sizes != before.sizes:
        values["sizes"] = inline({name: number(most) for name, most in row.sizes}) if row.sizes else None
    return change_table(text, "limits", values)


def read_fix(text: str) -> FixRow:
    """Return the table of the given program in the text of problem.toml. Raises DescriptionUnreadable."""
    table = table_of(read_document(text), "fix")
    return FixRow(
        texts_at(table, "given"),
        number_at(table, "changes"),
        texts_at(table, "protected"),
        number_at(table, "tokens"),
    )


def write_fix(text: str, row: FixRow) -> str:
    """Return `text` with the given program. Raises DescriptionUnreadable."""
    values: dict[str, object] = {
        "given": list(row.given) or None,
        "changes": number(row.changes) if row.changes.strip() else None,
        "tokens": number(row.tokens) if row.tokens.strip() else None,
        "protected": list(row.protected) or None,
    }
    return change_table(text, "fix", values)


def read_under_test(text: str) -> UnderTestRow:
    """Return the programs under test in the text of problem.toml. Raises DescriptionUnreadable."""
    table = table_of(read_document(text), "test")
    return UnderTestRow(texts_at(table, "faulty"), number_at(table, "least_killed"))


def write_under_test(text: str, row: UnderTestRow) -> str:
    """Return `text` with these programs under test. Raises DescriptionUnreadable."""
    values: dict[str, object] = {
        "faulty": list(row.faulty) or None,
        "least_killed": number(row.least_killed) if row.least_killed.strip() else None,
    }
    return change_table(text, "test", values)


def usual_limit(name: str) -> str:
    """Return the default of the limit `name`, which applies if a file omits it."""
    return f"{getattr(ProblemLimits(), name):g}"


def read_formulas(text: str) -> FormulaRow:
    """Return the formulas in the text of problem.toml. Raises DescriptionUnreadable."""
    document = read_document(text)
    table = table_of(document, "formulas")
    return FormulaRow(text_at(table, "bytes"), text_at(table, "operations"), integers_at(document, "tiers"))


def write_formulas(text: str, row: FormulaRow) -> str:
    """Return `text` with these formulas. Raises DescriptionUnreadable."""
    text = change_top(text, {"tiers": list(row.tiers) or None})
    return change_table(text, "formulas", {"bytes": row.bytes_moved, "operations": row.operations})


def _languages(text: str, chosen: Sequence[str]) -> list[str] | None:
    """Return the languages to write, or None if the file omits them and the default ones are still chosen."""
    if "languages" not in read_document(text) and set(chosen) == set(USUAL_LANGUAGES):
        return None
    in_order = [known.value for known in Language if known.value in chosen]
    return in_order_of(texts_at(read_document(text), "languages"), in_order)
