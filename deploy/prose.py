"""Checks that texts for readers are plain English: `python -m deploy.prose [PATH...]`.

The check knows phrases that read as foreign or as jargon of this repository, and what to write instead.
It reads:

- templates: text and the attributes that are shown or spoken, without Django's tags;
- Python: string literals, and docstrings of commands, which are their help texts;
- JavaScript: string literals, without comments;
- shell scripts and the Makefile: string literals, comments (some are printed as help) and here-documents;
- YAML and TOML: string literals;
- Markdown: everything outside code.

To check more files, add a pattern to `CHECKED`. `EXCEPTED` names the files that are not plain yet.
"""

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

CHECKED = (
    "web/templates/**/*.html",
    "web/templates/**/*.txt",
    "web/**/*.py",
    "web/catalog/terms.toml",
    "problems/tracks/*.toml",
    "web/learn/**/*.md",
    "web/frontend/src/**/*.js",
    "deploy/**/*.py",
    "deploy/*",
    "deploy/observability/alerts.yml",
    "Makefile",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/**/*.md",
    "judge/**/*.py",
    "sandbox/**/*.py",
    "worker/**/*.py",
)

# Files and folders that need not be plain, each with the reason.
_UNIX = "names the Unix user nobody"
EXCEPTED = {
    "CONTRIBUTING.md": "quotes the phrases that it forbids",
    "deploy/prose.py": "quotes the phrases",
    "sandbox/containers/backend.py": _UNIX,
    "sandbox/probe.py": _UNIX,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """A forbidden phrase, and its replacement."""

    pattern: re.Pattern[str]
    instead: str


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A piece of text for readers, and the line on which it starts."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class PhraseFinding:
    """A phrase that broke a rule."""

    path: Path
    line: int
    phrase: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: “{self.phrase}”: write {self.instead}"


def _rule(pattern: str, instead: str) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), instead)


# The start of a sentence. Such a clause at the start is the subject of the sentence, unless the sentence is a
# question.
_START = r"(?:^|(?<=[.!?:;] ))"
_WITHIN = r"(?:(?!\. )[^?;:])*?"

RULES = (
    _rule(r"\banew\b", "“again”"),
    _rule(r"\bbeside\b", "“next to”"),
    _rule(r"(?<!by )\bhand(?:s|ed|ing)? (?:(?:it|them|this|that|(?:the|your|a) \w+) )?in\b", "“submit”"),
    _rule(r"(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more than\b|less than\b)\w+", "“is not a …”"),
    _rule(r"\b(?:somebody|anybody)\b", "“a user”, “another user” or “someone”"),
    _rule(r"\bnobody\b", "“no user”, or say what is missing: “No reports.”"),
    _rule(r"\beverybody\b", "“everyone” or “all users”"),
    _rule(r"\bwhoever\b", "“users who …” or “the administrator”"),
    _rule(rf"{_START}Who {_WITHIN}(?:\.(?!\w)|,)", "a noun as the subject: “Users who …”"),
    _rule(rf"{_START}(?:What|Whatever) {_WITHIN}\.(?!\w)", "a noun as the subject: “Files that …”"),
    _rule(r"\bthe ones? (?:that|who|which)\b", "the noun"),
    _rule(r"\bso far\b", "“yet”"),
    _rule(r"\bby (?:itself|themselves)\b", "“automatically”, or leave it out"),
    _rule(r"\blook again\b", "“refresh”"),
    _rule(r"\bout of sight\b", "“dry run” or “hidden”"),
    _rule(r"\bunder way\b", "“running” or “in progress”"),
    _rule(r"\bmend(?:s|ed|ing)?\b", "“fix”"),
    _rule(r"\btelephone\b", "“phone”"),
    _rule(r"\b(?:judge[sd]?|judging) again\b", "“rejudge”"),
    _rule(r"\bmeanwhile\b", "“in the meantime”, or leave it out"),
    _rule(r"\bpresent version\b", "“current version”"),
    _rule(r"\bis up to you\b|\bmay not write\b", "“can't”"),
    _rule(r"\bthere is nobody\b|\bthere is no such\b", "“… not found”"),
    _rule(r"\bdockets?\b", "“job queue”"),
)


def breaches(text: str) -> Iterator[tuple[str, str]]:
    """Yield the phrases of `text` that break a rule, each with its replacement. A single word is a name."""
    plain = " ".join(text.split())
    if " " not in plain and plain.islower():
        return
    for rule in RULES:
        for found in rule.pattern.finditer(plain):
            yield found[0], rule.instead


# The value of a variable is unknown, but its default is a literal.
_VARIABLE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_TAG = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_DEFAULT = re.compile(r"""\|(?:default|default_if_none|pluralize|yesno):(["'])(.*?)\1""")
_SHOWN_ATTRIBUTES = frozenset({"alt", "aria-label", "content", "placeholder", "title"})
_INLINE = frozenset({"a", "abbr", "b", "code", "em", "i", "kbd", "span", "strong", "sub", "sup", "time"})


class _Reader(HTMLParser):
    """Collects the text of each block, and the attributes that are shown or spoken."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.passages: list[TextPassage] = []
        self._text: list[str] = []
        self._line = 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE:
            self.end_block()
        for name, value in attrs:
            if name in _SHOWN_ATTRIBUTES and value:
                self.passages.append(TextPassage(self.getpos()[0], value))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _INLINE:
            self.end_block()

    def handle_data(self, data: str) -> None:
        if not "".join(self._text).strip():
            self._line = self.getpos()[0]
        self._text.append(data)

    def end_block(self) -> None:
        """Take what was read since the last block as one passage."""
        text = "".join(self._text).strip()
        if text:
            self.passages.append(TextPassage(self._line, text))
        self._text = []


def _blank(text: str, shown: str = "") -> str:
    return shown + "\n" * text.count("\n")


def of_template(source: str) -> Iterable[TextPassage]:
    """Yield the passages of a Django template."""
    for found in _VARIABLE.finditer(source):
        for default in _DEFAULT.finditer(found[0]):
            yield TextPassage(source.count("\n", 0, found.start()) + 1, default[2])
    source = _VARIABLE.sub(lambda found: _blank(found[0], "X"), source)
    source = _TAG.sub(lambda found: _blank(found[0], " "), source)
    reader = _Reader()
    reader.feed(source)
    reader.close()
    reader.end_block()
    yield from reader.passages


def _help_texts(tree: ast.AST) -> Iterator[int]:
    """Yield the ids of docstrings that typer prints: those of functions with `@app.command(...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            calls = [call.func for call in node.decorator_list if isinstance(call, ast.Call)]
            if any(isinstance(call, ast.Attribute) and call.attr == "command" for call in calls):
                yield id(node.body[0])


def of_python(source: str) -> Iterable[TextPassage]:
    """Yield the string literals of a module, except docstrings that no program prints."""
    tree = ast.parse(source)
    shown = set(_help_texts(tree))
    apart = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and id(node) not in shown
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            apart.update(map(id, node.values))
            parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
            yield TextPassage(node.lineno, "".join(map(str, parts)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            yield TextPassage(node.lineno, node.value)


_COMMENT = re.compile(r"^\s*(?://|/?\*)")
_LITERAL = re.compile(r"""(["'`])((?:\\.|(?!\1).)*)\1""")


def _literals(line: int, text: str) -> Iterable[TextPassage]:
    return (TextPassage(line, found[2]) for found in _LITERAL.finditer(text))


def of_script(source: str) -> Iterable[TextPassage]:
    """Yield the string literals of a script."""
    for line, text in enumerate(source.splitlines(), 1):
        if not _COMMENT.match(text):
            yield from _literals(line, text)


_TOML_LITERAL = re.compile(r'"""(.*?)"""|"((?:\\.|[^"\\\n])*)"|^\s*#[^\n]*', re.DOTALL | re.MULTILINE)


def of_toml(source: str) -> Iterable[TextPassage]:
    """Yield the double-quoted strings of a TOML file, without comments."""
    for found in _TOML_LITERAL.finditer(source):
        if text := found[1] or found[2]:
            yield TextPassage(source.count("\n", 0, found.start()) + 1, text)


_REMARK = re.compile(r"(?:^|\s)#+\s+(.*)$", re.MULTILINE)
_HERE_DOCUMENT = re.compile(r"<<-?(['\"]?)(\w+)\1\n(.*?)\n\2$", re.DOTALL | re.MULTILINE)


def of_shell(source: str) -> Iterable[TextPassage]:
    """Yield the string literals, comments and here-documents of a shell script or a Makefile."""
    for line, text in enumerate(source.splitlines(), 1):
        if remark := _REMARK.search(text):
            yield TextPassage(line, remark[1])
        yield from _literals(line, text)
    for document in _HERE_DOCUMENT.finditer(source):
        yield TextPassage(source.count("\n", 0, document.start(3)) + 1, document[3])


_CODE = re.compile(r"```.*?```|~~~.*?~~~|`[^`\n]*`", re.DOTALL)
_PARAGRAPH = re.compile(r"\S.*?(?=\n\s*\n|\n\s*[-*|#>]|\n\s*\d+\.\s|\Z)", re.DOTALL)


def of_markdown(source: str) -> Iterable[TextPassage]:
    """Yield the paragraphs, headings, items and rows of a Markdown file, without code."""
    source = _CODE.sub(lambda found: _blank(found[0], "X"), source)
    for found in _PARAGRAPH.finditer(source):
        text = found[0].lstrip("-*#>| ")
        for cell in text.split("|"):
            yield TextPassage(source.count("\n", 0, found.start()) + 1, cell.strip())


_READERS: dict[str, Callable[[str], Iterable[TextPassage]]] = {
    ".html": of_template,
    ".txt": of_template,
    ".py": of_python,
    ".js": of_script,
    ".yml": of_script,
    ".toml": of_toml,
    "": of_shell,
    ".md": of_markdown,
}


def is_excepted(path: Path) -> bool:
    """Whether `path`, relative to the repository, need not be plain yet."""
    return any(place.match(name) for place in (path, *path.parents) for name in EXCEPTED)


def check(paths: Iterable[Path], root: Path) -> list[PhraseFinding]:
    """Return the phrases that break rules in the files `paths` below `root`, in order."""
    found = []
    for path in paths:
        for passage in _READERS[path.suffix]((root / path).read_text()):
            found += [PhraseFinding(path, passage.line, *breach) for breach in breaches(passage.text)]
    return sorted(found, key=lambda finding: (finding.path, finding.line, finding.phrase))


def checked_paths(root: Path) -> list[Path]:
    """Return the files that must be plain, relative to `root`."""
    found = {path for pattern in CHECKED for path in root.glob(pattern) if path.is_file()}
    known = (path.relative_to(root) for path in found if path.suffix in _READERS)
    return sorted(path for path in known if not is_excepted(path))


def main(arguments: list[str]) -> int:
    """Print the findings. Return the exit status: 0 without findings, otherwise 1."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(prog="python -m deploy.prose", description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="default: all checked files")
    findings = check(parser.parse_args(arguments).paths or checked_paths(root), root)
    for finding in findings:
        sys.stdout.write(f"{finding}\n")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
