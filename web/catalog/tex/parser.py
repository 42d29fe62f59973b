"""Parses TeX into a tree. It refuses unknown commands, so that no formula is shown incorrectly."""
# ruff: noqa: RUF001, SLF001 - the characters are the subject; the table of commands belongs to the parser

import re
from collections.abc import Callable

from web.catalog.tex import symbols
from web.catalog.tex.tree import Leaf, MathNode, Tree, operator, row, space

_TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|[{}^_&~]|\s+|[0-9]+(?:[.][0-9]+)?|.", re.DOTALL)
_DEEPEST = 40
_STYLES = {r"\displaystyle": "true", r"\textstyle": "false"}


class TexUnknown(ValueError):
    """Raised when a formula contains unsupported or malformed TeX. The message names it."""


class Parser:
    """The parser of one formula. `parse` returns its tree.

    Raises:
        TexUnknown: the formula contains unsupported or malformed TeX.
    """

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        self._at = 0
        self._depth = 0

    def parse(self) -> Tree:
        """Return the tree of the whole formula."""
        parts = self._until()
        if self._at < len(self._tokens):
            raise TexUnknown(f"{self._tokens[self._at]} has no matching start")
        return row(parts)

    def _until(self, *ends: str) -> list[Tree]:
        """Return the trees before one of `ends` or the end of the formula. The end itself is not consumed."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise TexUnknown("the formula is nested too deeply")
        parts: list[Tree] = []
        while (word := self._peek()) is not None and word not in ends:
            if word in {"}", "&", "\\\\", r"\right", r"\end"}:
                break
            if word in _STYLES:
                self._next()
                parts.append(
                    MathNode("mstyle", (row(self._until(*ends)),), f' displaystyle="{_STYLES[word]}"')
                )
            elif word == r"\limits" and parts:
                self._next()
                parts.append(_with_limits(parts.pop()))
            elif word in {"^", "_", "'"}:
                base = parts.pop() if parts else MathNode("mrow", ())
                parts.append(self._scripts(base))
            else:
                atom = self._atom()
                if parts and _is_function(atom) and not _is_operator(parts[-1]):
                    parts.append(space(symbols.SPACES_EM[","]))
                parts.append(atom)
        self._depth -= 1
        return parts

    def _peek(self) -> str | None:
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self) -> str:
        word = self._peek()
        if word is None:
            raise TexUnknown("the formula ends too early")
        self._at += 1
        return word

    def _expect(self, wanted: str) -> None:
        if (word := self._next()) != wanted:
            raise TexUnknown(f"expected {wanted}, found {word}")

    def _argument(self) -> Tree:
        word = self._peek()
        if word == "{":
            return self._group()
        if word is not None and word.isdigit() and len(word) > 1:
            self._tokens[self._at : self._at + 1] = word  # an argument without braces is one digit
        return self._atom()

    def _group(self) -> Tree:
        self._expect("{")
        parts = self._until("}")
        self._expect("}")
        return row(parts)

    def _raw(self) -> str:
        """Return the text of a group, including spaces."""
        self._expect("{")
        begin = self._at
        while self._at < len(self._tokens) and self._tokens[self._at] != "}":
            if self._tokens[self._at] in {"{", "$"}:
                raise TexUnknown("formulas inside text are not supported")
            self._at += 1
        self._expect("}")
        text = "".join(self._tokens[begin : self._at - 1])
        text = text.replace(r"\ ", " ").replace("~", " ").replace(r"\_", "_").replace(r"\%", "%")
        if "\\" in text:
            raise TexUnknown("commands inside text are not supported")
        return text

    def _name(self) -> str:
        """Return the text of a group, or a single letter or digit without braces."""
        if self._peek() == "{":
            return self._raw()
        letter = self._next()
        if not letter.isalnum():
            raise TexUnknown(f"expected a letter or digit, found {letter}")
        return letter

    def _scripts(self, base: Tree) -> Tree:
        scripts: dict[str, list[Tree]] = {}
        while (word := self._peek()) in {"^", "_", "'"}:
            self._next()
            script = operator("′") if word == "'" else self._argument()
            scripts.setdefault("_" if word == "_" else "^", []).append(script)
        found = {side: row(parts) for side, parts in scripts.items()}
        limits = isinstance(base, MathNode) and base.limits
        if isinstance(base, MathNode) and base.limits and base.tag == "limits":
            base = base.parts[0]
        low, high = ("munder", "mover") if limits else ("msub", "msup")
        if len(found) == 2:
            return MathNode("munderover" if limits else "msubsup", (base, found["_"], found["^"]))
        return MathNode(low, (base, found["_"])) if "_" in found else MathNode(high, (base, found["^"]))

    def _atom(self) -> Tree:  # noqa: PLR0911 - one kind of atom a line
        word = self._next()
        if word == "{":
            self._at -= 1
            return self._group()
        if word.startswith("\\"):
            return self._command(word[1:])
        if word[0].isdigit():
            return Leaf("mn", word)
        if word.isalpha():
            return Leaf("mi", word)
        if word == "~":
            return space(0.25)
        if word in "()[]":
            return operator(word, ' stretchy="false"')
        if word == "|":
            return operator(word, ' stretchy="false" lspace="0" rspace="0"')
        if word in "+-*/=<>,;:!.?@":
            return _plain(word)
        raise TexUnknown(f"{word!r} is not supported")

    def _command(self, name: str) -> Tree:
        near = self._peek() in {"(", r"\left", r"\bigl", r"\Bigl"}
        after = f' form="prefix" lspace="0" rspace="{0 if near else 0.167}em"'
        if name in symbols.FUNCTIONS:
            return operator(name, after)
        if name in symbols.LIMITS:
            return MathNode("limits", (operator(name, f' movablelimits="true"{after}'),), limits=True)
        if (known := _simple(name)) is not None:
            return known
        special = _COMMANDS.get(name)
        if special is None:
            raise TexUnknown(rf"\{name} is not supported")
        return special(self)

    def _fraction(self, style: str = "") -> Tree:
        fraction = MathNode("mfrac", (self._argument(), self._argument()))
        return MathNode("mstyle", (fraction,), f' displaystyle="{style}"') if style else fraction

    def _binomial(self) -> Tree:
        fraction = MathNode("mfrac", (self._argument(), self._argument()), ' linethickness="0"')
        return MathNode("mrow", (operator("("), fraction, operator(")")))

    def _root(self) -> Tree:
        if self._peek() != "[":
            return MathNode("msqrt", (self._argument(),))
        self._next()
        degree = row(self._until("]"))
        self._expect("]")
        return MathNode("mroot", (self._argument(), degree))

    def _text(self) -> Tree:
        return Leaf("mtext", self._raw().replace(" ", "\N{NO-BREAK SPACE}"))

    def _bold_text(self) -> Tree:
        return Leaf("mtext", self._raw().replace(" ", "\N{NO-BREAK SPACE}"), ' class="bold"')

    def _named(self) -> Tree:
        name = self._name()
        return Leaf("mi", name, ' mathvariant="normal"' if len(name) == 1 else "")

    def _operator(self) -> Tree:
        return _with_limits(operator(self._name(), ' movablelimits="true" lspace="0" rspace="0.167em"'))

    def _bold(self) -> Tree:
        begin = self._at
        try:
            return Leaf("mi", self._name(), ' mathvariant="normal" class="bold"')
        except TexUnknown:  # not just a word
            self._at = begin
            return MathNode("mrow", (self._argument(),), ' class="bold"')

    def _letters(self, alphabet: dict[str, str]) -> Tree:
        letters = self._name()
        if not letters or not set(letters) <= alphabet.keys():
            raise TexUnknown(f"this alphabet does not have {letters}")
        return Leaf("mi", "".join(alphabet[letter] for letter in letters), ' mathvariant="normal"')

    def _stacked(self, tag: str) -> Tree:
        script, base = self._argument(), self._argument()
        return MathNode(tag, (base, script))

    def _over_arrow(self, arrow: str) -> Tree:
        return MathNode("mover", (operator(arrow, ' stretchy="true"'), self._argument()))

    def _lines(self) -> Tree:
        self._expect("{")
        rows = [MathNode("mtr", (MathNode("mtd", (row(self._until()),)),))]
        while (word := self._next()) == "\\\\":
            rows.append(MathNode("mtr", (MathNode("mtd", (row(self._until()),)),)))
        if word != "}":
            raise TexUnknown(f"expected }}, found {word}")
        return MathNode("mtable", tuple(rows), ' class="matrix"')

    def _accent(self, sign: str) -> Tree:
        return MathNode("mover", (self._argument(), operator(sign)), ' accent="true"', limits=sign == "⏞")

    def _under(self, sign: str) -> Tree:
        return MathNode(
            "munder", (self._argument(), operator(sign)), ' accentunder="true"', limits=sign == "⏟"
        )

    def _delimiter(self) -> str:
        word = self._next()
        if word == ".":
            return ""
        if word in {*"()[]|/<>"}:
            return {"<": "⟨", ">": "⟩"}.get(word, word)
        name = word.removeprefix("\\")
        if word.startswith("\\") and name in symbols.DELIMITERS:
            return symbols.DELIMITERS[name]
        raise TexUnknown(f"{word} is not a delimiter")

    def _fenced(self) -> Tree:
        opening = self._delimiter()
        parts: list[Tree] = []
        while True:
            parts += self._until(r"\right", r"\middle")
            if self._next() == r"\right":
                break
            parts.append(operator(self._delimiter(), ' fence="true" stretchy="true"'))
        return _fence(opening, row(parts), self._delimiter())

    def _sized(self, em: float) -> Tree:
        return operator(self._delimiter(), f' stretchy="true" minsize="{em}em" maxsize="{em}em"')

    def _table(self) -> Tree:
        name = self._raw()
        if name not in symbols.TABLES:
            raise TexUnknown(f"the environment {name} is not supported")
        opening, closing, look = symbols.TABLES[name]
        if name == "array":
            self._raw()  # the alignment of the columns
        rows: list[Tree] = []
        cells: list[Tree] = []
        while True:
            cells.append(MathNode("mtd", (row(self._until()),)))
            word = self._next()
            if word == "&":
                continue
            rows.append(MathNode("mtr", tuple(cells)))
            cells = []
            if word == r"\end":
                break
            if word != "\\\\":
                raise TexUnknown(f"unexpected {word} in a table")
        if self._raw() != name:
            raise TexUnknown(rf"\end{{{name}}} is missing")
        if rows and rows[-1] == MathNode("mtr", (MathNode("mtd", (MathNode("mrow", ()),)),)):
            rows.pop()  # after a last \\
        table = MathNode("mtable", tuple(rows), f' class="{look}"')
        return _fence(opening, table, closing) if opening or closing else table

    def _modulo(self) -> Tree:
        return MathNode(
            "mrow", (operator("("), Leaf("mi", "mod"), space(0.333), self._argument(), operator(")"))
        )


def _with_limits(tree: Tree) -> Tree:
    return tree if isinstance(tree, MathNode) and tree.limits else MathNode("limits", (tree,), limits=True)


def _is_function(tree: Tree) -> bool:
    leaf = tree.parts[0] if isinstance(tree, MathNode) and tree.tag == "limits" else tree
    return isinstance(leaf, Leaf) and leaf.tag == "mo" and leaf.text in symbols.FUNCTIONS | symbols.LIMITS


def _is_operator(tree: Tree) -> bool:
    return isinstance(tree, Leaf) and tree.tag in {"mo", "mspace"}


def _fence(opening: str, body: Tree, closing: str) -> Tree:
    parts: list[Tree] = [body]
    if opening:
        parts.insert(0, operator(opening, ' form="prefix" fence="true" stretchy="true"'))
    if closing:
        parts.append(operator(closing, ' form="postfix" fence="true" stretchy="true"'))
    return MathNode("mrow", tuple(parts))


def _plain(word: str) -> Leaf:
    if word in {".", "/"}:
        return operator(word, ' lspace="0" rspace="0"')
    return operator({"-": "−", "*": "∗"}.get(word, word))


def _simple(name: str) -> Tree | None:  # noqa: PLR0911 - one kind of command a line
    """Return the tree of a command without arguments, or None."""
    if name in symbols.LETTERS:
        upright = ' mathvariant="normal"' if name[0].isupper() or name == "infty" else ""
        return Leaf("mi", symbols.LETTERS[name], upright)
    if name in symbols.OPERATORS:
        return operator(symbols.OPERATORS[name])
    if name in symbols.DELIMITERS:
        sides = ' lspace="0" rspace="0"' if symbols.DELIMITERS[name] in "|‖" else ""
        return operator(symbols.DELIMITERS[name], f' stretchy="false"{sides}')
    if name in symbols.LARGE:
        return MathNode("limits", (operator(symbols.LARGE[name]),), limits=True)
    if name in symbols.INTEGRALS:
        return operator(symbols.INTEGRALS[name])
    if name in symbols.SPACES_EM:
        return space(symbols.SPACES_EM[name])
    if name in {"%", "#", "$", "_"}:
        return Leaf("mi", name, ' mathvariant="normal"')
    if name == "&":
        return operator("&")
    if name in {"bmod", "mod"}:
        return operator("mod", ' lspace="0.222em" rspace="0.222em"')
    return None


def _with_sizes() -> dict[str, Callable[[Parser], Tree]]:
    found: dict[str, Callable[[Parser], Tree]] = {}
    for name, em in symbols.SIZES_EM.items():
        for side in ("", "l", "r", "m"):
            found[name + side] = lambda parser, em=em: parser._sized(em)  # type: ignore[misc]
    return found


_COMMANDS: dict[str, Callable[[Parser], Tree]] = {
    "frac": Parser._fraction,
    "tfrac": lambda parser: parser._fraction("false"),
    "dfrac": lambda parser: parser._fraction("true"),
    "binom": Parser._binomial,
    "sqrt": Parser._root,
    **dict.fromkeys(("text", "textrm", "textnormal", "mbox", "texttt", "textit"), Parser._text),
    "textbf": Parser._bold_text,
    **dict.fromkeys(("mathrm", "operatorname", "mathit", "mathsf", "mathtt"), Parser._named),
    **dict.fromkeys(("mathbf", "boldsymbol", "bm"), Parser._bold),
    "operatorname*": Parser._operator,
    **dict.fromkeys(("mathbin", "mathrel", "mathord", "mathopen", "mathclose"), Parser._argument),
    "mathop": lambda parser: _with_limits(parser._argument()),
    "mathbb": lambda parser: parser._letters(symbols.DOUBLE_STRUCK),
    **dict.fromkeys(("mathcal", "mathscr"), lambda parser: parser._letters(symbols.SCRIPT)),
    **dict.fromkeys(("overset", "stackrel"), lambda parser: parser._stacked("mover")),
    "underset": lambda parser: parser._stacked("munder"),
    "xrightarrow": lambda parser: parser._over_arrow("→"),
    "xleftarrow": lambda parser: parser._over_arrow("←"),
    "phantom": lambda parser: MathNode("mphantom", (parser._argument(),)),
    "substack": Parser._lines,
    "left": Parser._fenced,
    "begin": Parser._table,
    "pmod": Parser._modulo,
    **{name: (lambda p, s=sign: p._accent(s)) for name, sign in symbols.ACCENTS.items()},  # type: ignore[misc]
    **{name: (lambda p, s=sign: p._under(s)) for name, sign in symbols.UNDERS.items()},  # type: ignore[misc]
    **_with_sizes(),
}
