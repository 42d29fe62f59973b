"""What problem.toml says of a problem to those who look for one: title, summary, difficulty, tags, day."""

from collections.abc import Sequence
from dataclasses import dataclass

from web.authoring.editing.document import change_top, read_document
from web.authoring.editing.values import number_at, text_at, texts_at


@dataclass(frozen=True, slots=True)
class AboutRow:
    """The keys at the top. `track_day` is as the file writes it, empty where it leaves it out."""

    title: str
    summary: str
    difficulty: str
    tags: Sequence[str]
    track_day: str = ""


def read_about(text: str) -> AboutRow:
    """What the text of problem.toml says. Raises DescriptionUnreadable."""
    document = read_document(text)
    return AboutRow(
        text_at(document, "title"),
        text_at(document, "summary"),
        text_at(document, "difficulty"),
        texts_at(document, "tags"),
        number_at(document, "track_day"),
    )


def write_about(text: str, row: AboutRow) -> str:
    """`text` saying what `row` says. Raises DescriptionUnreadable."""
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
