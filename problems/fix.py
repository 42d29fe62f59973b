"""`[fix]`: problems with a broken program in which a submission may change a few lines.

Theory of operation. The lines of the submission are compared with those of the given program by Myers'
greedy algorithm, which stops at the limit. Its time grows with the length of the given program times the
limit, so a worker can compare sources outside a sandbox. Blank lines do not count, and neither does white
space within lines of C++ or at the end of lines of Python.

A few new lines could disable the given program and replace it: `/*`, `#if 0` (also after a comment), a line
that ends with a backslash, a line of a thousand characters. Such lines are refused. White space does not
count, so `a / *b` and `a /*b` are the same line. So all lines that the given program does not contain
literally are searched for such forms.

Python treats form feeds and some other characters as ends of lines, but compilers do not. With them, one
comment could hide many given lines. So a program that contains such a character is refused.

A few new lines could also keep the given lines but make them useless: a jump past them, a condition that
never holds, a second kernel that overwrites their results. In general, the text does not show whether a line
executes or whether its result is used, but each of these tricks needs a second program. So the number of
tokens that changed lines add or remove, whichever is larger, is limited too. A token is a name, a number, or
any other character. Strings count in the same way, and so do comments in lines in which they could be
something else. Tokens that removed and new lines share in the same order do not count. An added jump counts
as several tokens, because one word can make all given lines after it useless. Only changed lines, whose
length is bounded, are compared for this.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from problems.faults import FILE, Faults
from problems.schema import Fix
from problems.table import TomlTable
from problems.vocabulary import Language, Verdict

KEY = "fix"
MAX_CHANGES = 40
MAX_WIDTH = 160
MAX_TOKENS = 400
_TOKEN = re.compile(r"[A-Za-z0-9_]+|\S")
_LONGEST_WORD = 32  # A longer one can hold a program as data, and counts as one token per _PIECE characters.
_PIECE = 4
_JUMPS = ("return", "goto", "continue", "break")
_JUMP_TOKENS = 8
# Characters that end a line for `str.splitlines`, but not for all compilers.
_ODD_ENDS = re.compile("\r(?!\n)|[\v\f\x1c-\x1e\x85\u2028\u2029]")
# Starts of comments or strings that span lines, and directives, which can have the same effect.
_HIDES = {
    Language.CUDA: re.compile(
        r"(.*\*/)?\s*(#|%:|\?\?=)(?!\s*pragma\b)|.*(/\*(?!.*\*/)|\b(u8|[uUL])?R\"|(\\|\?\?/)\s*$)"
    ),
    Language.TRITON: re.compile(r".*(\"{3}|'{3})"),
    Language.PYTHON: re.compile(r".*(\"{3}|'{3})"),
}


def parse_fix(top: TomlTable) -> Fix | None:
    """Parse the table `[fix]` of problem.toml. Returns None without one."""
    if not top.has(KEY):
        return None
    table = top.table(KEY)
    fix = Fix(
        given=table.texts("given"),
        changes=table.integer("changes", least=1, most=MAX_CHANGES),
        protected=table.texts("protected") if table.has("protected") else (),
        tokens=table.integer("tokens", least=1, most=MAX_TOKENS) if table.has("tokens") else None,
    )
    table.close()
    return fix


def check_fix(
    fix: Fix, verdicts: Mapping[str, Verdict], languages: Sequence[Language], faults: Faults
) -> None:
    """Check that there is one given program for each language, and that none of them is accepted."""
    taken: dict[Language | None, int] = {}
    for index, file in enumerate(fix.given):
        key = f"{KEY}.given[{index}]"
        language = Language.of_file(file)
        if file not in verdicts:
            faults.add(
                FILE, key, f"{file!r} is not in [[solutions]]; add it there with the verdict that it gets"
            )
        elif verdicts[file] is Verdict.ACCEPTED:
            faults.add(FILE, key, f"{file!r} is accepted; give a program that fails")
        if (first := taken.setdefault(language, index)) != index:
            faults.add(FILE, key, f"has the language of given[{first}]; give one program for each language")
    for language in languages:
        if language not in taken:
            faults.add(FILE, f"{KEY}.given", f"no program in {language}; give one or remove the language")


def check_given(
    fix: Fix, solutions: Mapping[str, str], starters: Mapping[Language, str], faults: Faults
) -> None:
    """Check that given programs are the only starters, and that they have the protected lines."""
    lines: set[str] = set()
    for file in fix.given:
        language = Language.of_file(file)
        if odd := _ODD_ENDS.search(solutions.get(file, "")):
            faults.add(
                FILE,
                f"{KEY}.given",
                f"{file!r} contains the control character U+{ord(odd.group()):04X}; remove it",
            )
        if language in starters:
            faults.add(FILE, f"{KEY}.given", f"{file!r} is the starter already; delete the one in starter/")
        lines |= {line for _, line in _lines(solutions.get(file, ""), language)}
    for index, text in enumerate(fix.protected):
        if not any(_plain(text, language) in lines for language in map(Language.of_file, fix.given)):
            key = f"{KEY}.protected[{index}]"
            faults.add(FILE, key, f"{text!r} is not a line of a given program; copy the line from the file")


def refused_changes(given: str, source: str, language: Language, fix: Fix) -> str:
    """Return why `source` changes too much of the program `given`, for its author; empty if it does not."""
    if odd := _ODD_ENDS.search(source):
        number = source.count("\n", 0, odd.start()) + 1
        return f"Line {number} contains the control character U+{ord(odd.group()):04X}. Remove it."
    before, after = _lines(given, language), _lines(source, language)
    protected = {_plain(text, language) for text in fix.protected}
    if lost := _first_lost([pair for pair in before if pair[1] in protected], after):
        return f"Line {lost} of the given program must not change. Restore it, or reset the editor."
    old_lines, new_lines = [line for _, line in before], [line for _, line in after]
    edit = _edit(old_lines, new_lines, fix.changes)
    if edit is None:
        changes = max(len(old_lines), len(new_lines)) - _common(old_lines, new_lines)
        return (
            f"This program changes, adds or removes {changes} lines of the given program. The problem allows "
            f"{fix.changes}. Restore the other lines, or reset the editor."
        )
    texts, known = source.splitlines(), {line.strip() for line in given.splitlines()}
    changed = {after[index][0] for index in edit.inserted}
    for number, text in enumerate(texts, start=1):
        looked_at = number in changed or text.strip() not in known
        if looked_at and (refusal := _refused_line(number, text, language)):
            return refusal
    old = given.splitlines()
    removed = _tokens((old[before[index][0] - 1] for index in edit.deleted), language)
    inserted = _tokens((texts[number - 1] for number in sorted(changed)), language)
    jumps = sum(max(inserted.count(jump) - removed.count(jump), 0) for jump in _JUMPS)
    changed_tokens = max(len(removed), len(inserted)) - _common(removed, inserted)
    changed_tokens += (_JUMP_TOKENS - 1) * jumps
    if changed_tokens > fix.most_tokens:
        return (
            f"The changed lines add or remove {changed_tokens} tokens (names, numbers, other characters"
            f"{f'; a jump counts as {_JUMP_TOKENS}' if jumps else ''}). "
            f"The problem allows {fix.most_tokens}. Correct the given program instead of replacing it."
        )
    return ""


def _refused_line(number: int, text: str, language: Language) -> str:
    """Return why the text of a changed line is refused; empty if it is not."""
    if len(text) > MAX_WIDTH:
        return f"Line {number} has {len(text)} characters. Changed lines may have at most {MAX_WIDTH}."
    if _HIDES[language].match(text):
        return (
            f"Line {number} is a directive, ends with a backslash, or begins a comment or text of several "
            "lines. Changed lines of this problem may not. Write // or # comments."
        )
    return ""


def _lines(source: str, language: Language | None) -> list[tuple[int, str]]:
    """Return the number and the text to compare of each line that is not blank."""
    numbered = enumerate(source.splitlines(), start=1)
    return [(number, _plain(line, language)) for number, line in numbered if line.strip()]


def _plain(line: str, language: Language | None) -> str:
    return "".join(line.split()) if language is Language.CUDA else line.rstrip()


def _first_lost(protected: Sequence[tuple[int, str]], after: Sequence[tuple[int, str]]) -> int | None:
    """Return the number of the first protected line that `after` lacks, in order."""
    rest = iter(after)
    for number, text in protected:
        if not any(line == text for _, line in rest):
            return number
    return None


def _tokens(lines: Iterable[str], language: Language) -> list[str]:
    found: list[str] = []
    for line in lines:
        for word in _TOKEN.findall(_code(line, language)):
            pieces = range(0, len(word), _PIECE if len(word) > _LONGEST_WORD else _LONGEST_WORD)
            found += [word[at : at + pieces.step] for at in pieces]
    return found


def _code(line: str, language: Language) -> str:
    """Return the line without its comment, unless quotes or C comments make that ambiguous."""
    mark = "//" if language is Language.CUDA else "#"
    code, found, comment = line.partition(mark)
    quoted = '"' in line or "'" in code
    if not found or quoted or "/*" in code or "*/" in comment:
        return line
    return code


def _common(before: Sequence[str], after: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    Source: H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004. Bit `i` of `rest` is 0 where the
    length grows at `before[i]`.
    """
    places: dict[str, int] = {}
    for index, token in enumerate(before):
        places[token] = places.get(token, 0) | 1 << index
    full = rest = (1 << len(before)) - 1
    for token in after:
        matched = rest & places.get(token, 0)
        rest = ((rest + matched) | (rest - matched)) & full
    return len(before) - rest.bit_count()


@dataclass(frozen=True, slots=True)
class _Edit:
    """Indexes of the lines of one text that are deleted, and of the lines of the other that are inserted."""

    deleted: list[int]
    inserted: list[int]


def _edit(before: Sequence[str], after: Sequence[str], most: int) -> _Edit | None:
    """Return a shortest edit from `before` to `after`, None if it changes more than `most` lines.

    An edit that inserts `i` lines and deletes `d` changes the greater of both.
    """
    if abs(len(after) - len(before)) > most:
        return None
    furthest, steps = {1: 0}, []
    for edits in range(2 * most + 1):
        steps.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            new = _inserts(furthest, diagonal, edits)
            x = furthest[diagonal + 1] if new else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(before) and y < len(after) and before[x] == after[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(before) and y >= len(after):
                found = _trace(steps, len(before), len(after))
                return found if max(len(found.inserted), len(found.deleted)) <= most else None
    return None


def _inserts(furthest: Mapping[int, int], diagonal: int, edits: int) -> bool:
    """Whether the best edit that ends on a diagonal ends with an insertion, not with a deletion."""
    if diagonal in {-edits, edits}:
        return diagonal == -edits
    return furthest[diagonal - 1] < furthest[diagonal + 1]


def _trace(steps: Sequence[Mapping[int, int]], x: int, y: int) -> _Edit:
    """The edit, followed back from the end of both texts."""
    deleted: list[int] = []
    inserted: list[int] = []
    for edits in range(len(steps) - 1, 0, -1):
        furthest, diagonal = steps[edits], x - y
        new = _inserts(furthest, diagonal, edits)
        previous = diagonal + 1 if new else diagonal - 1
        x = furthest[previous]
        y = x - previous
        if new:
            inserted.append(y)
        else:
            deleted.append(x)
    return _Edit(deleted[::-1], inserted[::-1])
