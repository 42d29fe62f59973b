"""The figures of a package: small images that a statement shows. They are checked, never executed.

An SVG may only draw: it must not have scripts, links, entities or external resources. The site also serves it
under a policy that forbids these.
"""

import os
import re
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

MAX_FIGURE_KIB = 256
MAX_FIGURES = 20
FIGURE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}\.(?:svg|png|webp)")
REFERENCE = re.compile(r"!\[[^\]]{0,2000}+\]\(\s{0,20}<?(?:\./)?figures/([^)\s>]{1,100})")
_MEDIA_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp"}
_SVG = "http://www.w3.org/2000/svg"
_FORBIDDEN_TAGS = {
    "script",
    "foreignobject",
    "iframe",
    "a",
    "image",
    "use",
    "set",
    "animate",
    "animatecolor",
    "animatemotion",
    "animatetransform",
    "feimage",
    "handler",
    "style",
}
_LARGEST_PX = 4000


class FigureInvalid(ValueError):
    """Raised when a file is not a valid figure. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Figure:
    """An image. The size is in CSS pixels, for page layout."""

    name: str
    content: bytes
    media_type: str
    width: int
    height: int


def read_figure(path: Path) -> Figure:
    """Read and check the image at `path`.

    Raises:
        FigureInvalid: the image is missing, not a regular file, too large, or of another type than its name
            says.
    """
    _check_name(path.name)
    return check_figure(path.name, _read(path))


def check_figure(name: str, content: bytes) -> Figure:
    """Check and measure the image `content` with the file name `name`.

    Raises:
        FigureInvalid: the image is too large, or of another type than its name says.
    """
    _check_name(name)
    if len(content) > MAX_FIGURE_KIB * 1024:
        raise FigureInvalid(f"is larger than {MAX_FIGURE_KIB} KiB; make it smaller")
    suffix = Path(name).suffix
    measure = {".svg": _measure_svg, ".png": _measure_png, ".webp": _measure_webp}[suffix]
    width, height = measure(content)
    if not (0 < width <= _LARGEST_PX and 0 < height <= _LARGEST_PX):
        raise FigureInvalid(f"is {width} by {height} pixels; from 1 to {_LARGEST_PX} each way are allowed")
    return Figure(name, content, _MEDIA_TYPES[suffix], width, height)


def _check_name(name: str) -> None:
    if not FIGURE_NAME.fullmatch(name):
        raise FigureInvalid(
            "name it with lower-case letters, digits and hyphens, ending in .svg, .png or .webp"
        )


def _read(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise FigureInvalid(
            f"cannot be read ({error.strerror}); it must be a regular file, not a link"
        ) from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FigureInvalid("must be a regular file")
        return file.read(MAX_FIGURE_KIB * 1024 + 1)


def _measure_png(content: bytes) -> tuple[int, int]:
    if not content.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") or len(content) < 24:
        raise FigureInvalid("is not a PNG; save it as one")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def _measure_webp(content: bytes) -> tuple[int, int]:
    """Source: WebP Container Specification; RFC 6386, section 9.1; WebP Lossless Bitstream, section 3."""
    if content[:4] != b"RIFF" or content[8:12] != b"WEBP" or len(content) < 30:
        raise FigureInvalid("is not a WebP; save it as one")
    kind = content[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
        return width, height
    if kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", content[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _measure_svg(content: bytes) -> tuple[int, int]:
    # Without a DOCTYPE there are no entities, so parsing can neither expand text nor load other resources.
    if re.search(rb"<!(?!--|\[CDATA\[)|<\?(?!xml )", content):
        raise FigureInvalid("holds a DOCTYPE or a processing instruction; remove it")
    try:
        root = ET.fromstring(content.decode("utf-8"))  # noqa: S314 - as above
    except (ET.ParseError, ValueError, RecursionError) as error:
        raise FigureInvalid(f"is not an SVG in UTF-8 ({error})") from error
    if root.tag != f"{{{_SVG}}}svg":
        raise FigureInvalid('must begin with <svg xmlns="http://www.w3.org/2000/svg">')
    for element in root.iter():
        _check_element(element)
    box = (root.get("viewBox") or "").replace(",", " ").split()
    try:
        width, height = float(box[2]), float(box[3])
    except (IndexError, ValueError) as error:
        raise FigureInvalid('must have a viewBox, such as viewBox="0 0 400 240"') from error
    return round(width), round(height)


def _check_element(element: ET.Element) -> None:
    namespace, _, tag = str(element.tag).lower().rpartition("}")
    if namespace != f"{{{_SVG}":
        # HTML elements work in an SVG as on a page: a meta element can redirect.
        raise FigureInvalid(f"holds <{tag}>, which is not an SVG element; save the figure as plain SVG")
    if tag in _FORBIDDEN_TAGS:
        raise FigureInvalid(f"holds <{tag}>, which is not allowed in figures; remove it")
    for name, value in element.attrib.items():
        plain = name.rpartition("}")[2].lower()
        # A backslash could spell the letters of `url` in another way.
        elsewhere = "\\" in value or re.search(r"url\(\s*['\"]?(?!#)", value, re.IGNORECASE)
        if plain.startswith("on") or plain in {"href", "style"} or elsewhere:
            raise FigureInvalid(f"has the attribute {plain}, which is not allowed in figures; remove it")
