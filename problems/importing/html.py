r"""HTML statements as Markdown: known elements become Markdown, text is kept, nothing else comes through.

Theory of operation. The parser walks the elements; what is not on the list leaves its text and a warning,
and what runs or loads something leaves nothing. Text is escaped so that it means itself in Markdown. TeX
between `\(…\)`, `\[…\]` and `$$…$$` becomes that of our statements. Drawings go out as figures, see
`problems.importing.svg`. The site renders Markdown without HTML and sanitises what comes of it, so nothing
here is trusted to be harmless.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser

# A formula that is not closed ends where another begins, a drawing that is not closed at the end of the text.
_MATH = re.compile(
    r"(\\\((?:[^\\]++|\\(?![()]))*+\\\)|\\\[(?:[^\\]++|\\(?![\[\]]))*+\\\]|\$\$.*?\$\$)", re.DOTALL
)
_SVG = re.compile(r"<svg\b(?:[^<]++|<(?!/svg\s*+>))*+(?:</svg\s*+>)?+", re.IGNORECASE)
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|$~&])")
_SPACE = re.compile(r"\s+")
_TRANSPARENT = {
    *(
        "html",
        "body",
        "main",
        "section",
        "article",
        "header",
        "footer",
        "div",
        "span",
        "font",
        "center",
        "small",
    ),
    *(
        "figure",
        "figcaption",
        "u",
        "tbody",
        "thead",
        "tfoot",
        "caption",
        "colgroup",
        "col",
        "big",
        "mark",
        "kbd",
    ),
    *("dl", "dt", "dd"),
}
_BLOCKS = {"p", "div", "section", "article", "figure", "figcaption", "center", "blockquote", "dt", "dd"}
_REMOVED = {
    *(
        "script",
        "style",
        "iframe",
        "object",
        "embed",
        "form",
        "button",
        "select",
        "textarea",
        "video",
        "audio",
    ),
    *("canvas", "template", "noscript", "head", "applet", "math"),
}
_VOID = {"br", "hr", "img", "col", "input", "meta", "link", "wbr"}
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*"}
_HEADINGS = {"h1": "##", "h2": "##", "h3": "###", "h4": "####", "h5": "####", "h6": "####"}
_LINK = re.compile(r"https?://[^\s<>()\"']{1,500}")


@dataclass(frozen=True, slots=True)
class Markdown:
    """A converted text, its drawings in order, and what was lost. Drawing n is `figures/figure-n.svg`."""

    text: str
    drawings: tuple[str, ...]
    warnings: tuple[str, ...]


def to_markdown(html: str, keep_drawing: Callable[[str, int], bool]) -> Markdown:
    """Convert `html`. `keep_drawing` is told each drawing with its number from 1, and keeps it or not."""
    drawings: list[str] = []

    def placed(match: re.Match[str]) -> str:
        drawing = match.group()
        if not keep_drawing(drawing, len(drawings) + 1):
            return "<wc-lost></wc-lost>"
        drawings.append(drawing)
        return f"<wc-figure n={len(drawings)}></wc-figure>"

    converter = _Converter()
    converter.feed(_SVG.sub(placed, html))
    converter.close()
    text = re.sub(r"(?<! ) \n", "\n", converter.text())  # two spaces would be a new line
    text = re.sub(r"\n(?:[ \t]*\n){2,}", "\n\n", text).strip() + "\n"
    return Markdown(text, tuple(drawings), tuple(converter.warnings))


@dataclass(slots=True)
class _Table:
    rows: list[list[str]] = field(default_factory=list)


class _Converter(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.warnings: list[str] = []
        self._buffers: list[list[str]] = [[]]
        self._lists: list[tuple[str, int]] = []
        self._tables: list[_Table] = []
        self._links: list[str] = []
        self._data: list[str] = []
        self._removed = 0
        self._pre = 0
        self._code = 0

    def text(self) -> str:
        """All of it."""
        self._flush()
        while len(self._buffers) > 1:
            self._put(self._pop())
        return "".join(self._buffers[0])

    def handle_starttag(  # noqa: C901, PLR0912 - a branch for each kind of element
        self, tag: str, attrs: list[tuple[str, str | None]]
    ) -> None:
        """See HTMLParser."""
        self._flush()
        if self._removed or tag in _REMOVED:
            if tag not in _VOID:
                self._removed += 1
            if tag in _REMOVED:
                self._warn(f"<{tag}> was left out")
            return
        given = {name: value or "" for name, value in attrs}
        if tag in _HEADINGS:
            self._push()
        elif tag in _MARKS or tag == "code":
            self._push()
            self._code += tag == "code"
        elif tag == "pre":
            self._push()
            self._pre += 1
        elif tag in {"ul", "ol"}:
            self._put("\n" if self._lists else "\n\n")
            self._lists.append((tag, 0))
        elif tag == "li":
            self._push()
        elif tag == "table":
            self._push()
            self._tables.append(_Table())
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])
        elif tag in {"td", "th", "blockquote", "sub", "sup"}:
            self._push()
        elif tag == "a":
            self._links.append(given.get("href", ""))
            self._push()
        else:
            self._single(tag, given)

    def _single(self, tag: str, given: dict[str, str]) -> None:
        if tag == "br":
            self._put("\n" if self._pre else "<br>" if self._tables else "  \n")
        elif tag == "hr":
            self._put("\n\n---\n\n")
        elif tag == "wc-figure" and given.get("n", "").isdecimal():
            number = int(given["n"])
            self._put(f"\n\n![Figure {number} of the statement](figures/figure-{number}.svg)\n\n")
        elif tag == "wc-lost":
            self._warn("a drawing was left out: it is none that figures may be")
        elif tag == "img":
            self._warn("an image was left out; add it as a figure")
            self._put(_escaped(given.get("alt", "")))
        elif tag in _BLOCKS or tag == "p":
            self._put("\n\n")
        elif tag not in _TRANSPARENT and tag not in {"tr", "wbr"}:
            self._warn(f"<{tag}> is not known; its text was kept")

    def handle_endtag(self, tag: str) -> None:  # noqa: C901, PLR0912 - as above
        """See HTMLParser."""
        self._flush()
        if self._removed:
            self._removed -= tag not in _VOID
            return
        if tag in _HEADINGS and self._inside():
            title = _SPACE.sub(" ", self._pop()).strip()
            is_title = tag == "h1" and not "".join(self._buffers[0]).strip()  # pages show the problem's own
            self._put(f"\n\n{_HEADINGS[tag]} {title}\n\n" if title and not is_title else "\n\n")
        elif tag in _MARKS and self._inside():
            inner = self._pop()
            mark = _MARKS[tag] if inner.strip() and not self._pre and not self._code else ""
            self._put(inner.replace(inner.strip(), f"{mark}{inner.strip()}{mark}", 1) if mark else inner)
        elif tag == "code" and self._inside():
            self._code = max(0, self._code - 1)
            inner = self._pop()
            self._put(inner if self._pre or self._code else _inline_code(inner))
        elif tag == "pre" and self._inside():
            self._pre = max(0, self._pre - 1)
            self._put(_code_block(self._pop()))
        elif tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
            self._put("\n\n" if not self._lists else "")
        elif tag == "li" and self._inside():
            self._item(self._pop())
        elif tag == "table" and self._tables and self._inside():
            caption = self._pop().strip()
            self._put(f"\n\n{caption}" + _table(self._tables.pop().rows))
        elif tag in {"td", "th"} and self._inside() and self._tables:
            cell = _SPACE.sub(" ", self._pop()).strip()
            if not self._tables[-1].rows:
                self._tables[-1].rows.append([])
            self._tables[-1].rows[-1].append(cell)
        elif tag == "a" and self._links and self._inside():
            self._link(self._pop(), self._links.pop())
        elif tag in {"sub", "sup"} and self._inside():
            inner = self._pop().strip()
            plain = re.fullmatch(r"[\w+\-]{1,12}", inner.replace("\\", ""))
            sign = "_" if tag == "sub" else "^"
            self._put(
                f"${{}}{sign}{{{inner}}}$" if plain and not (self._pre or self._code) else f"{sign}{inner}"
            )
        elif tag == "blockquote" and self._inside():
            lines = self._pop().strip().splitlines()
            self._put("\n\n" + "\n".join(f"> {line}" for line in lines) + "\n\n")
        elif tag in _BLOCKS:
            self._put("\n\n")

    def handle_data(self, data: str) -> None:
        """See HTMLParser, which also ends a piece where a `<` turns out to be none."""
        if not self._removed:
            self._data.append(data)

    def _flush(self) -> None:
        data = "".join(self._data)
        self._data.clear()
        if self._pre or self._code:
            self._put(data)
            return
        for part in _MATH.split(data):
            text = _math(part) if _MATH.fullmatch(part) else _escaped(_SPACE.sub(" ", part))
            # A space at the head of a line, as between the items of a list, would indent what follows.
            self._put(text.removeprefix(" ") if "".join(self._buffers[-1][-1:]).endswith("\n") else text)

    def _item(self, inner: str) -> None:
        kind, number = self._lists[-1] if self._lists else ("ul", 0)
        if self._lists:
            self._lists[-1] = (kind, number + 1)
        mark = f"{number + 1}." if kind == "ol" else "-"
        depth = "  " * max(0, len(self._lists) - 1)
        lines = [line for line in re.sub(r"\n{2,}", "\n", inner.strip()).splitlines() if line.strip()]
        indent = depth + " " * (len(mark) + 1)
        body = "\n".join(line if line.startswith(" ") else indent + line.strip() for line in lines[1:])
        self._put(
            f"{depth}{mark} {_line_start(lines[0].strip()) if lines else ''}\n"
            + (body + "\n" if body else "")
        )

    def _link(self, inner: str, address: str) -> None:
        known = _LINK.fullmatch(address) and inner.strip() and not self._pre
        self._put(f"[{inner.strip()}]({address})" if known else inner)

    def _push(self) -> None:
        self._buffers.append([])

    def _pop(self) -> str:
        return "".join(self._buffers.pop())

    def _inside(self) -> bool:
        return len(self._buffers) > 1

    def _put(self, text: str) -> None:
        self._buffers[-1].append(text)

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)


def _escaped(text: str) -> str:
    return _line_start(_SPECIAL.sub(r"\\\1", text))


def _line_start(text: str) -> str:
    """A text that would begin a list means itself."""
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
    kept = [row for row in rows if row]
    if not kept:
        return "\n\n"
    width = max(len(row) for row in kept)
    lines = ["| " + " | ".join(_cell(c) for c in [*row, *[""] * (width - len(row))]) + " |" for row in kept]
    lines.insert(1, "|" + "---|" * width)
    return "\n\n" + "\n".join(lines) + "\n\n"


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", text).replace("<br>", " ")
