"""Converts drawings of imported statements to figures: only elements that draw are kept.

The result must pass the checks of `problems.figures`. A background style becomes a rectangle, because light
text on a white page would be invisible.
"""

import re
import tempfile
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as ET

from problems.figures import MAX_FIGURE_KIB, FigureInvalid, read_figure

_NAMESPACE = "http://www.w3.org/2000/svg"
_ELEMENTS = {
    *(
        "svg",
        "g",
        "path",
        "rect",
        "circle",
        "ellipse",
        "line",
        "polyline",
        "polygon",
        "text",
        "tspan",
        "defs",
    ),
    *("linearGradient", "radialGradient", "stop", "marker", "title", "desc", "clipPath", "symbol"),
}
_STYLES = {
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity"),
    *(
        "fill-opacity",
        "stroke-opacity",
        "font-size",
        "font-family",
        "font-weight",
        "font-style",
        "text-anchor",
    ),
    *("dominant-baseline", "stop-color", "stop-opacity", "letter-spacing", "visibility", "display"),
}
_ATTRIBUTES = _STYLES | {
    *(
        "x",
        "y",
        "x1",
        "y1",
        "x2",
        "y2",
        "cx",
        "cy",
        "r",
        "rx",
        "ry",
        "width",
        "height",
        "d",
        "points",
        "transform",
    ),
    *("viewBox", "id", "dx", "dy", "offset", "gradientUnits", "gradientTransform", "fx", "fy", "clip-path"),
    *("marker-start", "marker-mid", "marker-end", "markerWidth", "markerHeight", "refX", "refY", "orient"),
    *("markerUnits", "fill-rule", "clip-rule", "preserveAspectRatio", "rotate", "textLength", "role"),
}
_COMMENT = re.compile(r"<!--(?:[^-]++|-(?!->))*+(?:-->)?+")  # an unclosed one reaches to the end
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);|#)([A-Za-z]+);")
_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)(?:px)?\s*")


def cleaned(drawing: str) -> bytes | None:
    """Return the drawing as the file of a figure, None if it cannot be converted."""
    if len(drawing) > MAX_FIGURE_KIB * 1024 or "<!" in _COMMENT.sub("", drawing):
        return None
    try:
        root = ET.fromstring(_ENTITY.sub(lambda m: unescape(m.group()), drawing))  # noqa: S314 - no DOCTYPE
    except (ET.ParseError, ValueError, RecursionError):
        return None
    if _local(root.tag) != "svg":
        return None
    background = _styles(root).get("background") or _styles(root).get("background-color")
    clean = _clean(root)
    if clean is None:
        return None
    _measure(clean)
    if background and _safe(background) and (box := clean.get("viewBox")):
        x, y, width, height = (box.replace(",", " ").split() + ["0"] * 4)[:4]
        ground = ET.Element(f"{{{_NAMESPACE}}}rect", x=x, y=y, width=width, height=height, fill=background)
        clean.insert(0, ground)
    ET.register_namespace("", _NAMESPACE)
    content = ET.tostring(clean, encoding="unicode").encode()
    return content if _accepted(content) else None


def _accepted(content: bytes) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        path.write_bytes(content)
        try:
            read_figure(path)
        except FigureInvalid:
            return False
    return True


def _clean(element: ET.Element) -> ET.Element | None:
    name = _local(element.tag)
    if name not in _ELEMENTS:
        return None
    result = ET.Element(f"{{{_NAMESPACE}}}{name}")
    given = {_local(key): value for key, value in element.attrib.items()}
    given |= {key: value for key, value in _styles(element).items() if key in _STYLES}
    for key, value in given.items():
        if key in _ATTRIBUTES and _safe(value):
            result.set(key, value)
    result.text = element.text
    for child in element:
        kept = _clean(child)
        if kept is not None:
            kept.tail = child.tail
            result.append(kept)
    return result


def _measure(root: ET.Element) -> None:
    if root.get("viewBox"):
        return
    width, height = (_NUMBER.fullmatch(root.get(key, "")) for key in ("width", "height"))
    if width and height:
        root.set("viewBox", f"0 0 {width.group(1)} {height.group(1)}")


def _styles(element: ET.Element) -> dict[str, str]:
    pairs = (part.partition(":") for part in element.get("style", "").split(";"))
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}


def _safe(value: str) -> bool:
    return not re.search(r"url\(\s*['\"]?(?!#)|javascript:|expression\(", value, re.IGNORECASE)


def _local(tag: object) -> str:
    return str(tag).rpartition("}")[2]
