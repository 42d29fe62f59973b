"""A listing beside the source that it was made of, so that lines of both lead to each other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from judge.evidence.listing_lines import ptx_lines, sass_lines
from web.colours import coloured, to_html
from web.submissions.models import Listing, ListingKind, Submission

MAX_LINES = 3000  # of a listing, side by side; its own page has more, the download all
CHUNK_LINES = 100  # a browser lays out those that are in sight
_TAB = 4

LINES_OF: Mapping[ListingKind, Callable[[Sequence[str]], list[int | None]]] = {
    ListingKind.PTX: ptx_lines,
    ListingKind.SASS: sass_lines,
}


@dataclass(frozen=True, slots=True)
class AssemblyRow:
    """A line: its number, its HTML, and the line of the source that it belongs to, 0 for none.

    Of a line of the source that is itself, if any instruction came of it.
    """

    number: int
    html: SafeString
    source: int

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read."""
        return not self.html.strip()


@dataclass(frozen=True, slots=True)
class Assembly:
    """A listing and the source, in chunks of rows. `line_count` is that of the whole listing."""

    submission: Submission
    listing: Listing
    source: tuple[tuple[AssemblyRow, ...], ...]
    rows: tuple[tuple[AssemblyRow, ...], ...]
    line_count: int

    @property
    def is_cut(self) -> bool:
        """Whether lines of the listing are missing."""
        return self.line_count > MAX_LINES

    @property
    def shown_count(self) -> int:
        """How many lines of the listing are here."""
        return sum(map(len, self.rows))

    @property
    def is_mapped(self) -> bool:
        """Whether any instruction is known to come of a line."""
        return any(row.source for chunk in self.rows for row in chunk)


def beside(submission: Submission, listing: Listing) -> Assembly:
    """What shows `listing`, which has its text, beside the source of `submission`."""
    kind = ListingKind(listing.kind)
    text = listing.text.expandtabs(_TAB).rstrip("\n").split("\n")
    # All of it is read, since PTX names its files at its end; the beginning alone is shown.
    from_lines = LINES_OF[kind](text)[:MAX_LINES]
    source = submission.source.rstrip("\n").split("\n")
    reached = {number for number in from_lines if number and number <= len(source)}
    rows = [
        AssemblyRow(number, to_html(runs), line if line in reached else 0)
        for number, (runs, line) in enumerate(
            zip(coloured(text[:MAX_LINES], kind), from_lines, strict=True), start=1
        )
    ]
    lines = [
        AssemblyRow(number, to_html(runs), number if number in reached else 0)
        for number, runs in enumerate(coloured(source, submission.language), start=1)
    ]
    return Assembly(submission, listing, _chunks(lines), _chunks(rows), len(text))


def _chunks(rows: Sequence[AssemblyRow]) -> tuple[tuple[AssemblyRow, ...], ...]:
    return tuple(tuple(rows[at : at + CHUNK_LINES]) for at in range(0, len(rows), CHUNK_LINES))
