"""Shows a listing next to its source, with links between the lines of both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django.utils.safestring import SafeString

from judge.evidence.listing_lines import ptx_lines, sass_lines
from judge.report import Report
from web.colours import coloured, to_html
from web.submissions import queries
from web.submissions.models import Listing, ListingKind, Submission

# Most lines of a listing next to the source; its own page shows more, and the download has all.
MAX_LINES = 3000
CHUNK_LINES = 100  # a browser only lays out the visible ones
_TAB = 4
_LATE = timedelta(seconds=10)  # time within which the listings of a program follow its verdict

LINES_OF: Mapping[ListingKind, Callable[[Sequence[str]], list[int | None]]] = {
    ListingKind.PTX: ptx_lines,
    ListingKind.SASS: sass_lines,
}


@dataclass(frozen=True, slots=True)
class AssemblyRow:
    """A line: its number, its HTML, and the source line that it belongs to, 0 for none.

    For a line of the source, the third value is its own number if it produced any instruction, otherwise 0.
    """

    number: int
    html: SafeString
    source: int

    @property
    def is_empty(self) -> bool:
        """Return whether the line is blank."""
        return not self.html.strip()


@dataclass(frozen=True, slots=True)
class Assembly:
    """A listing and the source, in chunks of rows. `line_count` counts the lines of the whole listing."""

    submission: Submission
    listing: Listing
    source: tuple[tuple[AssemblyRow, ...], ...]
    rows: tuple[tuple[AssemblyRow, ...], ...]
    line_count: int

    @property
    def is_cut(self) -> bool:
        """Return whether lines of the listing are missing."""
        return self.line_count > MAX_LINES

    @property
    def shown_count(self) -> int:
        """Return the number of lines of the listing that are shown."""
        return sum(map(len, self.rows))

    @property
    def is_mapped(self) -> bool:
        """Return whether the origin of any instruction is known."""
        return any(row.source for chunk in self.rows for row in chunk)


def listings_to_show(submission: Submission, report: Report | None) -> tuple[Listing, ...]:
    """Return the listings of `submission`, without their text.

    A GPU node makes those of a new program while it is judged, and stores them after the verdict. Until then,
    they are rows that are not in the database.
    """
    stored = queries.listings_of(submission)
    if stored or report is None or not report.kernels or "gpu" not in report.environment:
        return stored
    if timezone.now() > submission.report.finished + _LATE:
        return ()
    return tuple(Listing(report=submission.report, kind=kind) for kind in ListingKind)


def assembly_of(submission: Submission, listing: Listing) -> Assembly:
    """Return the page contents for `listing`, which has its text, next to the source of `submission`."""
    kind = ListingKind(listing.kind)
    text = listing.text.expandtabs(_TAB).rstrip("\n").split("\n")
    # Read all of it, because PTX names its files at the end; show only the beginning.
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
