"""What problem.toml says once: languages, limits and formulas."""

from collections.abc import Sequence
from dataclasses import dataclass

from problems.schema import ProblemLimits
from problems.vocabulary import Language
from web.authoring.editing.document import change_table, change_top, number, read_document, table_of
from web.authoring.editing.values import number_at, text_at, texts_at

USUAL_LANGUAGES = (Language.CUDA.value, Language.TRITON.value)
LIMITS = ("compile_s", "case_s", "memory_mib", "source_kib")


@dataclass(frozen=True, slots=True)
class LimitRow:
    """What a submission may use. Numbers are as the file writes them, empty where it leaves them out.

    Without `gpus` any model will do. `libraries` is None where all are allowed.
    """

    languages: tuple[str, ...]
    numbers: dict[str, str]
    gpus: tuple[str, ...] = ()
    libraries: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class FormulaRow:
    """What any program must move and compute."""

    bytes_moved: str
    operations: str


def read_limits(text: str) -> LimitRow:
    """The limits in the text of problem.toml. Raises DescriptionUnreadable."""
    document = read_document(text)
    table = table_of(document, "limits")
    return LimitRow(
        texts_at(document, "languages") or USUAL_LANGUAGES,
        {name: number_at(table, name) for name in LIMITS},
        texts_at(table, "gpus"),
        texts_at(table, "libraries") if "libraries" in table else None,
    )


def write_limits(text: str, row: LimitRow) -> str:
    """`text` with these limits; those that are left out are the usual ones. Raises DescriptionUnreadable."""
    text = change_top(text, {"languages": _languages(text, row.languages)})
    values: dict[str, object] = {
        name: number(value) if value.strip() else None for name, value in row.numbers.items()
    }
    values["gpus"] = list(row.gpus) or None
    values["libraries"] = None if row.libraries is None else list(row.libraries)
    return change_table(text, "limits", values)


def usual_limit(name: str) -> str:
    """What the limit `name` is where a file leaves it out."""
    return f"{getattr(ProblemLimits(), name):g}"


def read_formulas(text: str) -> FormulaRow:
    """The formulas in the text of problem.toml. Raises DescriptionUnreadable."""
    table = table_of(read_document(text), "formulas")
    return FormulaRow(text_at(table, "bytes"), text_at(table, "operations"))


def write_formulas(text: str, row: FormulaRow) -> str:
    """`text` with these formulas. Raises DescriptionUnreadable."""
    return change_table(text, "formulas", {"bytes": row.bytes_moved, "operations": row.operations})


def _languages(text: str, chosen: Sequence[str]) -> list[str] | None:
    """None where the file left them out and those that it meant are chosen still."""
    if "languages" not in read_document(text) and set(chosen) == set(USUAL_LANGUAGES):
        return None
    return [known.value for known in Language if known.value in chosen]
