"""Makes the fonts in src/fonts: one for formulas from the fonts of KaTeX, and a small JetBrains Mono.

Browsers lay formulas out by the MATH table of a font, which KaTeX's own fonts lack. So this program copies
their glyphs (upright, italic, four sizes, the parts of tall brackets) into one font and adds the table.
JetBrains Mono has a hundred ligatures, which make up half of its file. The site shows code without ligatures,
so this program removes them. The results are committed; run the program only to change them. Nothing else
needs KaTeX:

    pip install fonttools brotli && npm ci && npm install --no-save katex@0.16.47 && python fonts.py

The constants are those of TeX's Computer Modern, in thousandths of an em.
Source: The TeXbook, appendix G; KaTeX, src/fontMetrics.js; OpenType, the MATH table.
"""
# ruff: noqa: RUF001 - the characters are what it is about

from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.otlLib.builder import buildMathTable
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables.ttProgram import Program
from fontTools.varLib.instancer import instantiateVariableFont

HERE = Path(__file__).parent
FONTS = HERE / "node_modules" / "katex" / "dist" / "fonts"
MONO = HERE / "node_modules" / "@fontsource-variable" / "jetbrains-mono" / "files"
TARGET = HERE / "src" / "fonts" / "warpcourt-math.woff2"
MONO_TARGET = HERE / "src" / "fonts" / "jetbrains-mono-plain.woff2"
NAME = "Warpcourt Math"
UPRIGHT = (
    " !%&()*+,./0123456789:;<=>?@[]|ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz{}~^_¨¯"
    "±·×÷¬ΓΔΘΛΞΠΣΥΦΨΩ˙ˇ′…ℏℓℜℑ←↑→↓↔⇐⇒∀∂∃∅∇∈∉∋−∓∕∖∗∘∙√∝∞∠∣∥∧∨∩∪∫∼≃≅≈≠≡≤≥≪≫⊂⊆⊕⊗⊙⊤⊥⋅⋆⋮⋯⋱⌈⌉⌊⌋⟨⟩⟵⟶⟹⟺⟼↦‖⟷"
)
# The mathematical italics of Unicode: the first letter of each run, and the code point at which the run
# begins.
ITALIC = [("A", "Z", 0x1D434), ("a", "z", 0x1D44E), ("Γ", "Ω", 0x1D6E4), ("α", "ω", 0x1D6FC)]
ITALIC_VARIANTS = {"ϵ": 0x1D716, "ϑ": 0x1D717, "ϕ": 0x1D719, "ϱ": 0x1D71A, "ϖ": 0x1D71B}
STRETCHY = "()[]{}|‖⌊⌋⌈⌉⟨⟩√/"
LARGE = "∑∏∫∬∮⋃⋂⨁⨂∐"
# From bottom to top, as OpenType requires. True marks the part that repeats.
ASSEMBLIES = {
    "(": [("⎝", False), ("⎜", True), ("⎛", False)],
    ")": [("⎠", False), ("⎟", True), ("⎞", False)],
    "[": [("⎣", False), ("⎢", True), ("⎡", False)],
    "]": [("⎦", False), ("⎥", True), ("⎤", False)],
    "⌊": [("⎣", False), ("⎢", True)],
    "⌋": [("⎦", False), ("⎥", True)],
    "⌈": [("⎢", True), ("⎡", False)],
    "⌉": [("⎥", True), ("⎤", False)],
    "{": [("⎩", False), ("⎪", True), ("⎨", False), ("⎪", True), ("⎧", False)],
    "}": [("⎭", False), ("⎪", True), ("⎬", False), ("⎪", True), ("⎫", False)],
    "√": [("⎷", False), ("\ue001", True), ("\ue000", False)],
}
# How far the upper limit of an integral is to the right of the lower one.
ITALICS = {"u222B": 194, "u222B.2": 444, "u222E": 194, "u222E.2": 444}
CONSTANTS = {
    "ScriptPercentScaleDown": 70,
    "ScriptScriptPercentScaleDown": 50,
    "DelimitedSubFormulaMinHeight": 1300,
    "DisplayOperatorMinHeight": 1300,
    "MathLeading": 150,
    "AxisHeight": 250,
    "AccentBaseHeight": 431,
    "FlattenedAccentBaseHeight": 683,
    "SubscriptShiftDown": 150,
    "SubscriptTopMax": 345,
    "SubscriptBaselineDropMin": 50,
    "SuperscriptShiftUp": 363,
    "SuperscriptShiftUpCramped": 289,
    "SuperscriptBottomMin": 108,
    "SuperscriptBaselineDropMax": 386,
    "SubSuperscriptGapMin": 160,
    "SuperscriptBottomMaxWithSubscript": 345,
    "SpaceAfterScript": 50,
    "UpperLimitGapMin": 111,
    "UpperLimitBaselineRiseMin": 200,
    "LowerLimitGapMin": 167,
    "LowerLimitBaselineDropMin": 600,
    "StackTopShiftUp": 444,
    "StackTopDisplayStyleShiftUp": 677,
    "StackBottomShiftDown": 345,
    "StackBottomDisplayStyleShiftDown": 686,
    "StackGapMin": 120,
    "StackDisplayStyleGapMin": 280,
    "StretchStackTopShiftUp": 200,
    "StretchStackBottomShiftDown": 600,
    "StretchStackGapAboveMin": 111,
    "StretchStackGapBelowMin": 167,
    "FractionNumeratorShiftUp": 394,
    "FractionNumeratorDisplayStyleShiftUp": 677,
    "FractionDenominatorShiftDown": 345,
    "FractionDenominatorDisplayStyleShiftDown": 686,
    "FractionNumeratorGapMin": 40,
    "FractionNumDisplayStyleGapMin": 120,
    "FractionRuleThickness": 40,
    "FractionDenominatorGapMin": 40,
    "FractionDenomDisplayStyleGapMin": 120,
    "SkewedFractionHorizontalGap": 350,
    "SkewedFractionVerticalGap": 96,
    "OverbarVerticalGap": 120,
    "OverbarRuleThickness": 40,
    "OverbarExtraAscender": 40,
    "UnderbarVerticalGap": 120,
    "UnderbarRuleThickness": 40,
    "UnderbarExtraDescender": 40,
    "RadicalVerticalGap": 50,
    "RadicalDisplayStyleVerticalGap": 148,
    "RadicalRuleThickness": 40,
    "RadicalExtraAscender": 40,
    "RadicalKernBeforeDegree": 278,
    "RadicalKernAfterDegree": -556,
    "RadicalDegreeBottomRaisePercent": 60,
}


class Collector:
    """Collects glyphs of several fonts into one."""

    def __init__(self, base: TTFont) -> None:
        self.base = base
        self.glyphs: dict[str, Any] = {".notdef": base["glyf"][".notdef"]}
        self.metrics: dict[str, tuple[int, int]] = {".notdef": base["hmtx"][".notdef"]}
        self.characters: dict[int, str] = {}

    def take(self, font: TTFont, character: str, name: str) -> str | None:
        """Add the glyph of `character` under `name`, and return its name.

        Return None if the font has no such glyph.
        """
        source = font.getBestCmap().get(ord(character))
        if source is None:
            return None
        glyph = font["glyf"][source]
        glyph.expand(font["glyf"])
        if hasattr(glyph, "program"):
            glyph.program = Program()  # hints refer to tables that are not copied
        self.glyphs[name], self.metrics[name] = glyph, font["hmtx"][source]
        return name

    def height(self, name: str) -> int:
        """Return the height of a glyph."""
        glyph = self.glyphs[name]
        glyph.recalcBounds(None)
        return int(glyph.yMax - glyph.yMin)


def main() -> None:
    """Write the fonts."""
    _make_math()
    _make_mono()


def _make_mono() -> None:
    font = TTFont(MONO / "jetbrains-mono-latin-wght-normal.woff2")
    options = subset.Options(layout_features=["mark", "mkmk", "ccmp"], hinting=False, flavor="woff2")
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=font.getBestCmap())
    subsetter.subset(font)
    instantiateVariableFont(font, {"wght": (400, 700)}, inplace=True)
    subset.save_font(font, MONO_TARGET, options)


def _make_math() -> None:
    upright, italic = _font("Main-Regular"), _font("Math-Italic")
    sizes = [_font(f"Size{size}-Regular") for size in (1, 2, 3, 4)]
    found = Collector(upright)
    for character in UPRIGHT:
        if found.take(upright, character, f"u{ord(character):04X}"):
            found.characters[ord(character)] = f"u{ord(character):04X}"
    for first, last, start in ITALIC:
        for code in range(ord(first), ord(last) + 1):
            target = start + code - ord(first)
            _take_italic(found, italic, chr(code), 0x210E if chr(code) == "h" else target)
    for character, target in ITALIC_VARIANTS.items():
        _take_italic(found, italic, character, target)
    variants = {}
    for character in STRETCHY + LARGE:
        base = f"u{ord(character):04X}"
        if base not in found.glyphs and not found.take(sizes[0], character, base):
            continue
        found.characters[ord(character)] = base
        names = [found.take(font, character, f"{base}.{size}") for size, font in enumerate(sizes, 1)]
        kept = dict.fromkeys([base, *(name for name in names if name)])
        variants[base] = [(name, found.height(name)) for name in kept]
    assemblies = {
        f"u{ord(c):04X}": parts for c, p in ASSEMBLIES.items() if (parts := _assembly(found, sizes[3], p))
    }
    _write(found, variants, assemblies)


def _font(name: str) -> TTFont:
    return TTFont(FONTS / f"KaTeX_{name}.ttf")


def _take_italic(found: Collector, font: TTFont, character: str, target: int) -> None:
    if found.take(font, character, f"u{target:05X}"):
        found.characters[target] = f"u{target:05X}"


def _assembly(found: Collector, font: TTFont, parts: list[tuple[str, bool]]) -> list[Any] | None:
    built: list[tuple[str, int, int, int, int]] = []
    for character, repeats in parts:
        name = found.take(font, character, f"part{ord(character):04X}")
        if name is None:
            return None
        tall = found.height(name)
        overlap = tall // 3
        built.append((name, int(repeats), 0 if not built else overlap, overlap, tall))
    return [built, 0]


def _write(found: Collector, variants: dict[str, Any], assemblies: dict[str, Any]) -> None:
    font = found.base
    for table in ("fpgm", "prep", "cvt ", "gasp", "GSUB", "GPOS", "GDEF", "kern", "FFTM", "DSIG"):
        if table in font:
            del font[table]
    order = list(found.glyphs)
    font.setGlyphOrder(order)
    font["glyf"].glyphs, font["glyf"].glyphOrder = found.glyphs, order
    font["hmtx"].metrics = found.metrics
    for table in font["cmap"].tables:
        table.cmap = {code: name for code, name in found.characters.items() if code < 0x10000}
    full = next((t for t in font["cmap"].tables if t.format == 12), None)
    if full is None:
        full = type(font["cmap"].tables[0]).newSubtable(12)
        full.platformID, full.platEncID, full.language, full.cmap = 3, 10, 0, {}
        font["cmap"].tables.append(full)
    full.cmap = dict(found.characters)
    font["cmap"].tables = [t for t in font["cmap"].tables if t.format in {4, 12}]
    for record in font["name"].names:
        if record.nameID in {1, 3, 4, 16}:
            record.string = NAME
        elif record.nameID == 6:
            record.string = NAME.replace(" ", "")
    font["post"].formatType = 3.0
    buildMathTable(
        font,
        constants=CONSTANTS,
        italicsCorrections=ITALICS,
        minConnectorOverlap=20,
        vertGlyphVariants=variants,
        vertGlyphAssembly=assemblies,
        extendedShapes=set(variants),
    )
    font.flavor = "woff2"
    TARGET.parent.mkdir(exist_ok=True)
    font.save(TARGET)


if __name__ == "__main__":
    main()
