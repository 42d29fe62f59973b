"""The keys of problem.toml that describe a problem in lists: title, summary, difficulty, tags, day."""

from collections.abc import Sequence
from dataclasses import dataclass

from web.authoring.editing.document import change_top, read_document
from web.authoring.editing.values import number_at, text_at, texts_at


@dataclass(frozen=True, slots=True)
class AboutRow:
    """The top-level keys. `track_day` is as the file writes it, or empty if the file omits it."""

    title: str
    summary: str
    difficulty: str
    tags: Sequence[str]
    track_day: str = ""


def read_about(text: str) -> AboutRow:
    """Return the description in the text of problem.toml. Raises DescriptionUnreadable."""
    document = read_document(text)
    return AboutRow(
        text_at(document, "title"),
        text_at(document, "summary"),
        text_at(document, "difficulty"),
        texts_at(document, "tags"),
        number_at(document, "track_day"),
    )


def write_about(text: str, row: AboutRow) -> str:
    """Return `text` with the values of `row`. Raises DescriptionUnreadable."""
    return change_top(
        text,
        {
            "title": row.title,
            "summary": row.summary,
            "difficulty": row.difficulty,
            "tags": list(row.tags),
            "track_day": int(row.track_day) if row.track_day else None,
        },
    )
