"""A diagnosis as text for a terminal: the most important findings, then the counts of each kernel.

`warpcourt doctor` and `manage.py judge --doctor` print the same text. It may contain control characters of a
program: the caller removes them.
"""

from collections.abc import Iterator, Sequence

from .client import Body

MOST_FINDINGS = 3
_NAME_CHARACTERS = 40
_HEADINGS = (
    ("Kernel", ""),
    ("Global", "requests"),
    ("Sectors", "/ needed"),
    ("Shared", "requests"),
    ("Wavefronts", "/ needed"),
    ("Atomic", "requests"),
    ("Turns", ""),
    ("Branches", "/ divergent"),
)


def diagnosis_lines(diagnosis: Body, *, file: str, site: str = "") -> list[str]:
    """Return the lines of `diagnosis`, as the API returns it, for the program in `file`.

    `site` is the address of the site, before the paths of help pages.
    """
    return [*_findings(diagnosis, file, site), "", *_counts(diagnosis["counts"])]


def _findings(diagnosis: Body, file: str, site: str) -> Iterator[str]:
    found: Sequence[Body] = diagnosis["findings"]
    if unexplained := diagnosis.get("unexplained"):  # sites of earlier versions do not send it
        yield "No finding explains the wrong answer."
        yield from unexplained
    elif not found:
        yield "No findings."
    for number, entry in enumerate(found[:MOST_FINDINGS], start=1):
        place = f"{file}:{entry['line']}" if entry["line"] else file
        yield f"{number}. {place}: {entry['kind']}: {entry['title']}"
        page = f"{site}{entry['url']}" if entry["url"] else ""
        parts = (
            ("Evidence", entry["evidence"]),
            ("Gain", entry.get("gain", "")),  # sites of earlier versions do not send it
            ("Why", entry["why"]),
            ("Try", entry["check"]),
            ("Help", page),
        )
        for name, text in parts:
            if text:
                yield f"   {name + ':':<10}{text}"
    if (more := len(found) - MOST_FINDINGS) > 0:
        yield f"{more} more {'finding' if more == 1 else 'findings'}: --json prints all."


def _counts(counts: Sequence[Body]) -> Iterator[str]:
    if not counts:
        yield "No counts: functional mode counts only CUDA programs, in small cases that run to their end."
        return
    yield "Counts of warps, in the largest case that was counted:"
    rows = [*zip(*_HEADINGS, strict=True), *map(_row, counts)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()


def _row(counts: Body) -> tuple[str, ...]:
    name = counts["kernel"]
    if len(name) > _NAME_CHARACTERS:
        name = f"{name[: _NAME_CHARACTERS - 1]}\N{HORIZONTAL ELLIPSIS}"
    return (
        name,
        str(counts["global_requests"]),
        f"{counts['sectors']} / {counts['necessary_sectors']}",
        str(counts["shared_requests"]),
        f"{counts['wavefronts']} / {counts['necessary_wavefronts']}",
        str(counts["atomic_requests"]),
        str(counts["atomic_turns"]),
        f"{counts['branches']} / {counts['divergent_branches']}",
    )
