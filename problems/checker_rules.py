"""Reads `RULES` of `checker.py`: rules on whole answers, each with the sentence that reports show.

`RULES = {"late": "More than 1 % of the requests are late."}` is a literal, so it is read without running the
file. A report shows the sentence for hidden cases too, because it is part of the package.
"""

import ast
from collections.abc import Iterator
from typing import TypeGuard

MOST_RULES = 8
MAX_SENTENCE = 200
_NAME = "RULES"


class RulesInvalid(ValueError):
    """Raised if `RULES` is not a literal of this form. The message says what is wrong and what to do."""


def parse_rules(checker: str) -> tuple[tuple[str, str], ...]:
    """Return the names and sentences of the rules in the source of a checker, in order.

    The result is empty if it has none, or if the source is not valid Python: loading it reports the error.
    Raises RulesInvalid.
    """
    if _NAME not in checker:
        return ()
    try:
        values = [statement.value for statement in ast.parse(checker).body if _defines_rules(statement)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    if not values:
        return ()
    try:
        (rules,) = map(ast.literal_eval, values)
    except ValueError:
        raise RulesInvalid("RULES must be one dict of literal texts") from None
    if not isinstance(rules, dict) or not 0 < len(rules) <= MOST_RULES:
        raise RulesInvalid(f"RULES must be a dict of 1 to {MOST_RULES} rules")
    for fault in _faults(rules):
        raise RulesInvalid(fault)
    return tuple(rules.items())


def _defines_rules(statement: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(statement, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == _NAME for target in statement.targets
    )


def _faults(rules: dict[object, object]) -> Iterator[str]:
    for name, sentence in rules.items():
        if not isinstance(name, str) or not name.isidentifier():
            yield f"the name {name!r} in RULES must be a word such as late"
        if not isinstance(sentence, str) or not sentence.isprintable() or not sentence.endswith("."):
            yield f"the rule {name!r} in RULES must be a sentence on one line that ends with a full stop"
        elif len(sentence) > MAX_SENTENCE:
            yield f"the rule {name!r} in RULES has more than {MAX_SENTENCE} characters; shorten it"
