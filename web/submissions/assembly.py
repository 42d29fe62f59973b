"""A listing beside the source that it was made of, so that lines of both lead to each other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Punctuation, Text, Whitespace

from judge.listing_lines import ptx_lines, sass_lines
from problems.vocabulary import Language
from web.submissions.models import Listing, ListingKind, Submission

MAX_LINES = 3000  # of a listing, side by side; its own page has more, the download all
CHUNK_LINES = 100  # a browser lays out those that are in sight
_TAB = 4
_FORMATTER = HtmlFormatter(nowrap=True, classprefix="tok-")

LINES_OF: Mapping[ListingKind, Callable[[Sequence[str]], list[int | None]]] = {
    ListingKind.PTX: ptx_lines,
    ListingKind.SASS: sass_lines,
}


class SassLexer(RegexLexer):
    """Colours of a disassembly by nvdisasm."""

    name = "SASS"
    tokens = {
        "root": [
            (r"//.*$", Comment.Single),
            (r"/\*[0-9a-fx]+\*/", Comment.Multiline),
            (r"@!?U?P[T\d]+", Name.Decorator),
            (r"\b[A-Z][A-Z0-9]{1,}(?:\.[A-Z0-9_]+)*(?=[\s;`])", Keyword),
            (r"\bSR_[\w.]+", Name.Builtin),
            (r"-?\b0x[0-9a-f]+\b", Number.Hex),
            (r"\bU?[RP](?:\d+|Z|T)\b[\w.]*", Name.Variable),
            (r"^\s*\.[\w.]+", Keyword.Pseudo),
            (r"^[.\w$]+:", Name.Label),
            (r"[\[\](){},;|`~!]", Punctuation),
            (r"\s+", Whitespace),
            (r"[\w.$]+", Text),
            (r".", Text),
        ]
    }


@dataclass(frozen=True, slots=True)
class Row:
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
    source: tuple[tuple[Row, ...], ...]
    rows: tuple[tuple[Row, ...], ...]
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
        Row(number, html, line if line in reached else 0)
        for number, (html, line) in enumerate(
            zip(coloured(text[:MAX_LINES], listing_lexer(kind)), from_lines, strict=False), start=1
        )
    ]
    language = "cuda" if submission.language == Language.CUDA else "python"
    lines = [
        Row(number, html, number if number in reached else 0)
        for number, html in enumerate(coloured(source, get_lexer_by_name(language, stripnl=False)), start=1)
    ]
    return Assembly(submission, listing, _chunks(lines), _chunks(rows), len(text))


def listing_lexer(kind: ListingKind) -> Lexer:
    """What colours a listing."""
    return SassLexer(stripnl=False) if kind == ListingKind.SASS else get_lexer_by_name("ptx", stripnl=False)


def coloured(lines: Sequence[str], lexer: Lexer) -> list[SafeString]:
    """The lines as escaped HTML. Pygments closes its elements at the end of every line."""
    html = highlight("\n".join(lines), lexer, _FORMATTER).split("\n")
    return [mark_safe(line) for line in html[: len(lines)]]  # noqa: S308 - Pygments escapes


def _chunks(rows: Sequence[Row]) -> tuple[tuple[Row, ...], ...]:
    return tuple(tuple(rows[at : at + CHUNK_LINES]) for at in range(0, len(rows), CHUNK_LINES))
