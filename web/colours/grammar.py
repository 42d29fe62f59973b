"""Takes a text apart into tokens of one look each, in linear time.

Theory of operation. Web processes colour what anybody submits, and a regular expression that runs cannot be
interrupted: it keeps all other requests of its process waiting. The lexers of Pygments have been made to
take half a minute for 12 KB. So the rules here are few, and of a form for which the time can be told from
looking at them: a repetition is possessive, so nothing is tried twice, and once it was passed nothing that
follows can fail, so a string or a comment that is not closed reaches to the end instead of being given up.
A rule that does not match is therefore known not to after a bounded number of characters, and no character
is read more often than there are rules. A test holds every rule against this
(`tests/unit/web/colours/linear.py`).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Look = str | Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """Characters that match `pattern` have `look`: a short name as of Pygments, or what tells it by them.

    `words` have looks of their own. Otherwise the one character that follows decides, if `before` has it.
    """

    look: Look
    pattern: str
    words: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)

    def look_of(self, text: str, following: str) -> str:
        """The look of `text`, which matched, with one character that follows it."""
        if known := self.words.get(text) or self.before.get(following):
            return known
        return self.look if isinstance(self.look, str) else self.look(text)


class Grammar:
    """How a language is taken apart. Of its rules the first that matches counts."""

    def __init__(self, *rules: Rule) -> None:
        self.rules: Sequence[Rule] = rules
        named = (f"(?P<rule{index}>{rule.pattern})" for index, rule in enumerate(rules))
        self._pattern = re.compile("|".join(named))
        self._by_name = {f"rule{index}": rule for index, rule in enumerate(rules)}

    def scan(self, text: str) -> Iterator[tuple[str, str]]:
        """All of `text` in order, in parts with their looks; the look of plain text is empty."""
        at = 0
        for found in self._pattern.finditer(text):
            first, last = found.span()
            look = self._by_name[str(found.lastgroup)].look_of(found[0], text[last : last + 1])
            if not look:
                continue
            if at < first:
                yield text[at:first], ""
            yield found[0], look
            at = last
        if at < len(text):
            yield text[at:], ""
