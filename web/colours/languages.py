"""The highlighted languages, by their names in code fences and files. Other languages are plain text."""

import re
from collections.abc import Mapping

from web.colours import words
from web.colours.grammar import Grammar, Rule

_NUMBER = Rule("mi", r"\.?\d(?:[\w.']|(?<=[eEpP])[+-])*+")
_TEXT = Rule("s", r'"(?:[^"\\\n]++|\\[^\n])*+"?+')
_SLASHES = Rule("c1", r"//[^\n]*+")
_STARS = Rule("cm", r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+")
_HASH = Rule("c1", r"#[^\n]*+")
_LINE = r"(?:\A|(?<=\n))"


_CPP = Grammar(
    _SLASHES,
    _STARS,
    Rule("cpf", r"(?<=include )<[^>\n]*+>?+"),
    Rule("cp", r"#[ \t]{0,8}+[a-z_]*+"),
    Rule(
        "s",
        r'(?:u8|[uUL])?+R"(?P<fence>[^()\\\s"]{0,16}+)\((?:[^)]++|\)(?!(?P=fence)"))*+(?:\)(?P=fence)")?+',
    ),
    Rule("s", r"(?:u8|[uUL])?+(?:\"(?:[^\"\\\n]++|\\[\s\S])*+\"?+|'(?:[^'\\\n]++|\\[\s\S])*+'?+)"),
    _NUMBER,
    Rule("", r"[^\W\d]\w*+", words.CPP, {"(": "nf"}),
)

_PYTHON = Grammar(
    _HASH,
    Rule("s", r'[bBfFrRuU]{0,2}+"""(?:[^"\\]++|\\[\s\S]|"(?!""))*+(?:""")?+'),
    Rule("s", r"[bBfFrRuU]{0,2}+'''(?:[^'\\]++|\\[\s\S]|'(?!''))*+(?:''')?+"),
    Rule("s", r"[bBfFrRuU]{0,2}+(?:\"(?:[^\"\\\n]++|\\[\s\S])*+\"?+|'(?:[^'\\\n]++|\\[\s\S])*+'?+)"),
    Rule("nd", rf"(?:{_LINE}|(?<=\n    )|(?<=\n        ))@[\w.]*+"),
    Rule("nf", r"(?<=def )[^\W\d]\w*+"),
    Rule("nc", r"(?<=class )[^\W\d]\w*+"),
    _NUMBER,
    Rule("", r"[^\W\d]\w*+", words.PYTHON, {"(": "nf"}),
)

_PTX = Grammar(
    _SLASHES,
    _STARS,
    _TEXT,
    Rule("nv", r"%[\w$.]*+"),
    Rule("mi", r"\d(?:[\w.]|(?<=[eE])[+-])*+"),
    Rule("", r"\.[a-z]\w*+", words.PTX),
    Rule("nv", r"[A-Za-z_$][\w$]*+", words.PTX, {":": "nl"}),
)

_REGISTER = re.compile(r"U?+[RP](?:\d++|Z|T)[\w.]*+")
_OPERATION = re.compile(r"[A-Z][A-Z0-9]++(?:\.[A-Z0-9_]++)*+")


def _sass_look(word: str) -> str:
    if word.startswith("."):
        return "kp"
    if word.startswith("SR_"):
        return "nb"
    return "nv" if _REGISTER.fullmatch(word) else "k" if _OPERATION.fullmatch(word) else ""


_SASS = Grammar(
    _SLASHES,
    Rule("cm", r"/\*[0-9a-fx]{1,24}+\*/"),
    _TEXT,
    Rule("nd", r"@!?+[\w.]*+"),
    Rule("mh", r"0x[0-9a-f]*+"),
    Rule("", r"\d[\w.]*+"),
    Rule(_sass_look, r"[A-Za-z_$.][\w$.]*+", before={":": "nl"}),
)

_TOML = Grammar(
    _HASH,
    Rule("s", r'"""(?:[^"\\]++|\\[\s\S]|"(?!""))*+(?:""")?+'),
    Rule("s", r"'''(?:[^']++|'(?!''))*+(?:''')?+"),
    _TEXT,
    Rule("s", r"'[^'\n]*+'?+"),
    Rule("k", rf"{_LINE}\[[^\]\n]*+\]{{0,2}}+"),
    Rule("mi", r"[+-]?+\d(?:[\w.:]|(?<=[eE])[+-])*+"),
    Rule("", r"[\w-]++", words.looks(kc="true false")),
)
_JSON = Grammar(
    _TEXT, Rule("mi", r"-?+\d(?:[\w.]|(?<=[eE])[+-])*+"), Rule("", r"\w++", words.looks(kc="true false null"))
)
_SHELL = Grammar(
    Rule("c1", rf"(?:{_LINE}|(?<=[ \t]))#[^\n]*+"),
    Rule("s", r"'[^']*+'?+"),
    Rule("s", r'"(?:[^"\\]++|\\[\s\S])*+"?+'),
    Rule("nv", r"\$[\w?#@*!{]*+"),
    Rule("", r"[\w./+-]++", words.SHELL),
)
_MARKDOWN = Grammar(
    Rule("k", rf"{_LINE}\#{{1,6}}+[ \t][^\n]*+"),
    Rule("s", r"`[^`\n]*+`?+"),
)

NAMES: Mapping[str, Grammar] = {
    name: grammar
    for names, grammar in (
        ("c c++ cpp cu cuda", _CPP),
        ("py python triton", _PYTHON),
        ("ptx", _PTX),
        ("sass", _SASS),
        ("toml", _TOML),
        ("json", _JSON),
        ("bash sh shell", _SHELL),
        ("markdown md", _MARKDOWN),
    )
    for name in names.split()
}
