"""Splits a text into classified tokens, in linear time.

Theory of operation. Web processes highlight whatever users submit. A running regular expression can't be
interrupted, so it blocks all other requests of its process. Crafted input has kept the lexers of Pygments
busy for half a minute with 12 KB. The rules here are therefore few, and their form guarantees the time:

- A repetition is possessive, so nothing is tried twice.
- After a repetition, the rest of the rule can't fail. An unclosed string or comment extends to the end.

A rule that does not match therefore fails after a bounded number of characters. No character is read more
often than there are rules. A test checks every rule (`tests/unit/web/colours/linear.py`).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Look = str | Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """Text that matches `pattern` gets the class `look`: a short name of Pygments, or a function of the text.

    `words` maps single words to other classes. Otherwise `before` maps the next character to a class.
    """

    look: Look
    pattern: str
    words: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)

    def look_of(self, text: str, following: str) -> str:
        """Return the class of the match `text`, which is followed by the character `following`."""
        if known := self.words.get(text) or self.before.get(following):
            return known
        return self.look if isinstance(self.look, str) else self.look(text)


class Grammar:
    """The rules of a language. The first rule that matches applies."""

    def __init__(self, *rules: Rule) -> None:
        self.rules: Sequence[Rule] = rules
        named = (f"(?P<rule{index}>{rule.pattern})" for index, rule in enumerate(rules))
        self._pattern = re.compile("|".join(named))
        self._by_name = {f"rule{index}": rule for index, rule in enumerate(rules)}

    def scan(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield all of `text` in order, in parts with their classes. Plain text has an empty class."""
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
