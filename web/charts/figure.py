"""The frame of every chart: a named drawing, and the same figures as a table for screen readers."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH = 420
HEIGHT = 260


@dataclass(frozen=True, slots=True)
class Table:
    """The figures of a chart. The first column contains the names of the rows."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def figure(
    key: str,
    drawing: SafeString,
    *,
    title: str,
    description: str,
    table: Table,
    width: int = WIDTH,
    height: int = HEIGHT,
) -> SafeString:
    """Return `drawing` as an image with a title and a description, followed by its figures.

    `key` must be unique on the page; ids start with it. `title` is shown as the caption.
    """
    return format_html(
        '<figure class="chart chart-{key}"><figcaption class="chart-title">{title}</figcaption>'
        '<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{key}-title {key}-desc">'
        '<title id="{key}-title">{title}</title><desc id="{key}-desc">{description}</desc>{drawing}</svg>'
        '<details class="chart-data"><summary>{title} as a table</summary>{table}</details></figure>',
        key=key,
        title=title,
        description=description,
        width=width,
        height=height,
        drawing=drawing,
        table=_table(table, title),
    )


def _table(table: Table, title: str) -> SafeString:
    head = format_html_join("", '<th scope="col">{}</th>', ((word,) for word in table.head))
    rows = format_html_join(
        "",
        '<tr><th scope="row">{}</th>{}</tr>',
        (
            (name, format_html_join("", '<td class="number">{}</td>', ((cell,) for cell in cells)))
            for name, *cells in table.rows
        ),
    )
    return format_html(
        '<div class="table-wrap" tabindex="0" role="region" aria-label="{}"><table class="table table-tight">'
        "<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>",
        *(title, head, rows),
    )
