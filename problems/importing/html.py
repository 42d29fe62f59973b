r"""Converts HTML statements to Markdown: known elements and text are kept, everything else is dropped.

Theory of operation. lxml parses in linear time and to a depth of at most 256 elements, so the conversion may
be recursive. For an unknown element, the text and a warning remain. An element that runs or loads something
is removed. Text is escaped so that it has no meaning in Markdown. TeX between `\(…\)`, `\[…\]` and `$$…$$` is
converted to the syntax of Warpcourt's statements. Drawings become figures, see `problems.importing.svg`. The
site renders Markdown without HTML and sanitises the result, so its safety does not depend on this module.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from lxml import etree

# An unclosed formula ends where the next one begins. An unclosed drawing ends at the end of the text.
_MATH = re.compile(
    r"(\\\((?:[^\\]++|\\(?![()]))*+\\\)|\\\[(?:[^\\]++|\\(?![\[\]]))*+\\\]|\$\$.*?\$\$)", re.DOTALL
)
_SVG = re.compile(r"<svg\b(?:[^<]++|<(?!/svg\s*+>))*+(?:</svg\s*+>)?+", re.IGNORECASE)
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|$~&])")
_SPACE = re.compile(r"\s+")


def _tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


_BLOCKS = _tags("p div section article figure figcaption center blockquote dt dd")
_TRANSPARENT = _BLOCKS | _tags(
    "html head body main header footer span font small u tr td th tbody thead tfoot caption colgroup col big "
    "mark kbd dl wbr li ul ol table"
)
_REMOVED = _tags(
    "script style iframe object embed form button select textarea video audio canvas template noscript "
    "applet math title meta link"
)
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*"}
_HEADINGS = {"h1": "##", "h2": "##", "h3": "###", "h4": "####", "h5": "####", "h6": "####"}
_MOST_LISTS = 8
_LINK = re.compile(r"https?://[^\s<>()\"']{1,500}")


@dataclass(frozen=True, slots=True)
class Markdown:
    """A converted text, its drawings in order, and warnings about dropped contents.

    Drawing n is `figures/figure-n.svg`.
    """

    text: str
    drawings: tuple[str, ...]
    warnings: tuple[str, ...]


def to_markdown(html: str, keep_drawing: Callable[[str, int], bool]) -> Markdown:
    """Convert `html`.

    `keep_drawing` is called with each drawing and its number from 1, and decides whether to keep it.
    """
    drawings: list[str] = []

    def placed(match: re.Match[str]) -> str:
        drawing = match.group()
        if not keep_drawing(drawing, len(drawings) + 1):
            return "<wc-lost></wc-lost>"
        drawings.append(drawing)
        return f"<wc-figure n={len(drawings)}></wc-figure>"

    parser = etree.HTMLParser(remove_comments=True, remove_pis=True, no_network=True)
    root = etree.fromstring(f"<body>{_SVG.sub(placed, html).replace(chr(0), '')}</body>", parser)
    converter = _Converter()
    text = converter.inside(root, _Place())
    if any("depth" in fault.message for fault in parser.error_log):
        converter.warn("elements are nested too deeply; the rest was omitted")
    text = re.sub(r"(?<! ) \n", "\n", text)  # two spaces would be a new line
    text = re.sub(r"\n(?:[ \t]*\n){2,}", "\n\n", text).strip() + "\n"
    return Markdown(text, tuple(drawings), tuple(converter.warnings))


@dataclass(frozen=True, slots=True)
class _Place:
    """The context of an element: code, a table cell, marks such as `**`, and the depth of lists."""

    literal: bool = False
    preformatted: bool = False
    in_cell: bool = False
    marks: str = ""
    lists: int = 0


class _Converter:
    def __init__(self) -> None:
        self.warnings: list[str] = []
        self._begun = False

    def warn(self, text: str) -> None:
        """Warn about dropped contents, once for each text."""
        if text not in self.warnings:
            self.warnings.append(text)

    def inside(self, element: etree._Element, place: _Place) -> str:
        """Return the Markdown of the contents of `element`."""
        parts = [self._text(element.text, place, "")]
        for child in element:
            parts.append(self._element(child, place))
            parts.append(self._text(child.tail, place, parts[-1]))
        return "".join(parts)

    def _text(self, text: str | None, place: _Place, before: str) -> str:
        if not text:
            return ""
        self._begun = self._begun or bool(text.strip())
        if place.literal:
            return text
        parts = [_math(p) if _MATH.fullmatch(p) else _escaped(_SPACE.sub(" ", p)) for p in _MATH.split(text)]
        # A space at the head of a line, as between the items of a list, would indent what follows.
        for index, part in enumerate(parts):
            parts[index] = part.removeprefix(" ") if before.endswith("\n") else part
            before = parts[index] or before
        return "".join(parts)

    def _element(self, element: etree._Element, place: _Place) -> str:  # noqa: C901, PLR0911, PLR0912 - a branch for each kind
        tag = str(element.tag)
        match tag:
            case "br":
                return "\n" if place.preformatted else " " if place.in_cell else "  \n"
            case "hr":
                return "\n\n---\n\n"
            case "wc-figure" | "wc-lost" | "img":
                return self._picture(tag, element) + self.inside(element, place)
            case "code":
                inner = self.inside(element, replace(place, literal=True))
                return inner if place.literal else _inline_code(inner)
            case "pre":
                return _code_block(self.inside(element, replace(place, literal=True, preformatted=True)))
            case "ul" | "ol" if place.lists < _MOST_LISTS:
                return self._list(element, place)
            case "table" if not place.in_cell:
                return self._table(element, place)
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                return self._heading(element, place)
        if tag in _REMOVED:
            self.warn(f"<{tag}> was omitted")
            return ""
        mark = _MARKS.get(tag, "")
        if mark and not place.literal and mark not in place.marks.split():
            return _marked(self.inside(element, replace(place, marks=f"{place.marks} {mark}")), mark)
        inner = self.inside(element, place)
        match tag:
            case "a":
                address = element.get("href", "")
                known = _LINK.fullmatch(address) and inner.strip() and not place.preformatted
                return f"[{inner.strip()}]({address})" if known else inner
            case "sub" | "sup":
                return _script("_" if tag == "sub" else "^", inner.strip(), place)
            case "td" | "th":  # of a table within a cell, or of none
                return f"{inner} "
            case "blockquote":
                return "\n\n" + "\n".join(f"> {line}" for line in inner.strip().splitlines()) + "\n\n"
        if tag not in _TRANSPARENT and not mark:
            self.warn(f"<{tag}> is not known; its text was kept")
        return f"\n\n{inner}\n\n" if tag in _BLOCKS else inner

    def _picture(self, tag: str, element: etree._Element) -> str:
        self._begun = True
        number = element.get("n", "")
        if tag == "wc-figure" and number.isdecimal():
            return f"\n\n![Figure {number} of the statement](figures/figure-{number}.svg)\n\n"
        if tag == "wc-lost":
            self.warn("a drawing was omitted: it is not a valid figure")
        if tag == "img":
            self.warn("an image was omitted; add it as a figure")
        return _escaped(element.get("alt", ""))

    def _heading(self, element: etree._Element, place: _Place) -> str:
        is_title = element.tag == "h1" and not self._begun  # pages show the problem's own
        title = _SPACE.sub(" ", self.inside(element, place)).strip()
        return f"\n\n{_HEADINGS[str(element.tag)]} {title}\n\n" if title and not is_title else "\n\n"

    def _list(self, element: etree._Element, place: _Place) -> str:
        within = replace(place, lists=place.lists + 1)
        parts, number = ["\n" if place.lists else "\n\n", self._text(element.text, within, "\n")], 0
        for child in element:
            if child.tag == "li":
                number += 1
                mark = f"{number}." if element.tag == "ol" else "-"
                parts.append(_item(self.inside(child, within), mark, "  " * place.lists))
            else:
                parts.append(self._element(child, within))
            parts.append(self._text(child.tail, within, parts[-1]))
        return "".join(parts) + ("" if place.lists else "\n\n")

    def _table(self, element: etree._Element, place: _Place) -> str:
        rows, others = [], [self._text(element.text, place, "")]
        for child in _rows(element):
            if child.tag == "tr":
                cells = (cell for cell in child if cell.tag in {"td", "th"})
                rows.append([self._cell(cell, place) for cell in cells])
            elif child.tag in {"td", "th"}:  # of a row that was not begun
                rows = rows or [[]]
                rows[-1].append(self._cell(child, place))
            else:
                others.append(self._element(child, place))
            others.append(self._text(child.tail, place, ""))
        return f"\n\n{''.join(others).strip()}" + _table([row for row in rows if row])

    def _cell(self, cell: etree._Element, place: _Place) -> str:
        return _SPACE.sub(" ", self.inside(cell, replace(place, in_cell=True))).strip()


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for child in table:
        if child.tag in {"thead", "tbody", "tfoot"}:
            yield from child
        else:
            yield child


def _marked(inner: str, mark: str) -> str:
    core = inner.strip()
    return inner.replace(core, f"{mark}{core}{mark}", 1) if core else inner


def _script(sign: str, inner: str, place: _Place) -> str:
    plain = re.fullmatch(r"[\w+\-]{1,12}", inner.replace("\\", ""))
    return f"${{}}{sign}{{{inner}}}$" if plain and not place.literal else f"{sign}{inner}"


def _item(inner: str, mark: str, depth: str) -> str:
    lines = [line for line in re.sub(r"\n{2,}", "\n", inner.strip()).splitlines() if line.strip()]
    indent = depth + " " * (len(mark) + 1)
    first = _line_start(lines[0].strip()) if lines else ""
    others = (line if line.startswith(" ") else indent + line.strip() for line in lines[1:])
    return "".join(f"{line}\n" for line in [f"{depth}{mark} {first}", *others])


def _escaped(text: str) -> str:
    return _line_start(_SPECIAL.sub(r"\\\1", text))


def _line_start(text: str) -> str:
    """Escape a text that would begin a list."""
    text = re.sub(r"^(\s*\d{1,9})([.)])(?=\s|$)", r"\1\\\2", text)
    return re.sub(r"^(\s*)([-+])(?=\s|$)", r"\1\\\2", text)


def _math(text: str) -> str:
    inner = _SPACE.sub(" ", text[2:-2]).strip().replace("$", "")
    if not inner:
        return ""
    return f"${inner}$" if text.startswith("\\(") else f"\n\n$${inner}$$\n\n"


def _inline_code(text: str) -> str:
    inner = _SPACE.sub(" ", text).strip()
    if not inner:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", inner)), default=0) + 1)
    pad = " " if inner.startswith("`") or inner.endswith("`") else ""
    return f"{fence}{pad}{inner}{pad}{fence}"


def _code_block(text: str) -> str:
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    lines = text.strip("\n").rstrip().splitlines()
    return f"\n\n{fence}text\n" + "\n".join(line.rstrip() for line in lines) + f"\n{fence}\n\n"


def _table(rows: list[list[str]]) -> str:
    if not rows:
        return "\n\n"
    width = max(len(row) for row in rows)
    lines = ["| " + " | ".join(_bars(c) for c in [*row, *[""] * (width - len(row))]) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * width)
    return "\n\n" + "\n".join(lines) + "\n\n"


def _bars(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", text)
