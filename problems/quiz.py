"""Quizzes as their files state them: questions with drawn numbers and computed answers."""

import keyword
import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from problems.arithmetic import FUNCTIONS, Arithmetic
from problems.faults import Faults
from problems.formula import FormulaError
from problems.parse import parse_tags, parse_toml
from problems.quiz_text import ANSWER, QuizText, parse_text
from problems.quiz_variables import Group, group_variables, parse_variables
from problems.table import TomlTable
from problems.vocabulary import Difficulty

FOLDER = "quizzes"
SLUG = "[a-z][a-z0-9]*(-[a-z0-9]+)*"
MAX_SLUG = 60
MAX_QUESTIONS = 40
MAX_MINUTES = 240
MAX_MISTAKES = 8
MAX_OPTIONS = 8
MAX_CONDITIONS = 20
TOLERANCE = 0.005
MAX_TOLERANCE = 0.05
_RESERVED = frozenset({*keyword.kwlist, *FUNCTIONS, ANSWER})


class QuestionKind(StrEnum):
    """How a question is answered: with a number, or by one of its options."""

    NUMERIC = "numeric"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong answer that learners give, and what it tells about their reasoning.

    `answer` computes the number of a numeric question. `option` is an index into the options of a choice.
    """

    explanation: QuizText
    answer: Arithmetic | None = None
    option: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question. Its `answer` is a number, or the index of the right option.

    `tolerance` is relative to the right number. Options stand in the order of the file.
    """

    kind: QuestionKind
    text: QuizText
    answer: Arithmetic
    explanation: QuizText
    mistakes: tuple[Mistake, ...] = ()
    unit: str = ""
    tolerance: float = TOLERANCE
    options: tuple[QuizText, ...] = ()


@dataclass(frozen=True, slots=True)
class Quiz:
    """A quiz as its file states it. `problems.quiz_paper` draws its numbers.

    `groups` have its variables, and the conditions that hold for the numbers that a learner gets. `minutes`
    is the time that a learner has from the start to the answers, None for a quiz without a time limit.
    """

    slug: str
    title: str
    summary: str
    difficulty: Difficulty
    tags: tuple[str, ...]
    track_day: int | None
    pass_mark: int
    minutes: int | None
    intro: QuizText
    groups: tuple[Group, ...]
    questions: tuple[Question, ...]


def parse_quiz(slug: str, text: str) -> Quiz:
    """Parse the text of the quiz `slug`.

    Raises:
        PackageInvalid: with every fault.
    """
    faults = Faults(FOLDER, table_file=f"{slug[:MAX_SLUG]}.toml")
    if not re.fullmatch(SLUG, slug) or len(slug) > MAX_SLUG:
        faults.add(
            faults.table_file, "", "its name is the slug: lower-case words joined by hyphens; rename it"
        )
    values = parse_toml(text, faults)
    faults.raise_any()
    quiz = _quiz(slug, TomlTable(values, "", faults))
    faults.raise_any()
    return quiz


def _quiz(slug: str, top: TomlTable) -> Quiz:
    variables = parse_variables(top, _RESERVED)
    known = {variable.name for variable in variables}
    numbers = {variable.name for variable in variables if variable.numeric}
    questions = tuple(_question(table, known, numbers) for table in top.tables("questions"))
    if len(questions) > MAX_QUESTIONS:
        top.fault("questions", f"has {len(questions)} questions; at most {MAX_QUESTIONS} are allowed")
    quiz = Quiz(
        slug=slug,
        title=top.text("title", most=80, example='"Device arithmetic"'),
        summary=top.text("summary", most=200, example='"One sentence."'),
        difficulty=top.choice("difficulty", Difficulty),
        tags=parse_tags(top),
        track_day=top.integer("track_day", least=1, most=1000) if top.has("track_day") else None,
        pass_mark=top.integer("pass_mark", least=1, most=max(1, len(questions))),
        minutes=top.integer("minutes", least=1, most=MAX_MINUTES) if top.has("minutes") else None,
        intro=parse_text(top, "intro", known, numbers, most=10_000),
        groups=group_variables(variables, _conditions(top, numbers)),
        questions=questions,
    )
    top.close()
    return quiz


def _conditions(top: TomlTable, numbers: Collection[str]) -> tuple[Arithmetic, ...]:
    texts = top.texts("conditions") if top.has("conditions") else ()
    if len(texts) > MAX_CONDITIONS:
        top.fault("conditions", f"has {len(texts)} formulas; at most {MAX_CONDITIONS} are allowed")
        return ()
    found = []
    for index, text in enumerate(texts):
        formula = _formula(top, f"conditions[{index}]", text, numbers)
        if formula and not formula.names:
            top.fault(f"conditions[{index}]", "uses no variable; remove it")
        elif formula:
            found.append(formula)
    return tuple(found)


def _question(table: TomlTable, known: Collection[str], numbers: Collection[str]) -> Question:
    kind = table.choice("kind", QuestionKind)
    explained, counted = {*known, ANSWER}, {*numbers, ANSWER}
    text = parse_text(table, "text", known, numbers, most=3000)
    options: tuple[QuizText, ...] = ()
    unit, tolerance = "", TOLERANCE
    if kind is QuestionKind.CHOICE:
        options, answer = _options(table, known, numbers)
        explained, counted = set(known), set(numbers)
    else:
        answer = _required_formula(table, "answer", numbers)
        unit = table.text("unit", most=20, example='"GB/s"') if table.has("unit") else ""
        tolerance = table.number("tolerance", most=MAX_TOLERANCE, default=TOLERANCE, zero=True)
    question = Question(
        kind=kind,
        text=text,
        answer=answer,
        explanation=parse_text(table, "explanation", explained, counted, most=3000),
        mistakes=_mistakes(table, explained, counted, numbers, len(options)),
        unit=unit,
        tolerance=tolerance,
        options=options,
    )
    table.close()
    return question


def _options(
    table: TomlTable, known: Collection[str], numbers: Collection[str]
) -> tuple[tuple[QuizText, ...], Arithmetic]:
    """Return the options, and the formula for the index of the right one."""
    texts = table.texts("options")
    if not 2 <= len(texts) <= MAX_OPTIONS:
        table.fault("options", f"must have 2 to {MAX_OPTIONS} texts, has {len(texts)}")
        texts = texts[:MAX_OPTIONS]
    options = tuple(
        parse_text(table, f"options[{index}]", known, numbers, most=300, value=text)
        for index, text in enumerate(texts)
    )
    if table.has("right") and isinstance(table.raw("right"), str):
        return options, _required_formula(table, "right", numbers)
    index = table.integer("right", least=0, most=max(1, len(texts)) - 1)
    return options, Arithmetic.parse(str(index))


def _mistakes(
    table: TomlTable,
    known: Collection[str],
    numbers: Collection[str],
    drawn: Collection[str],
    options: int,
) -> tuple[Mistake, ...]:
    tables = table.tables("mistakes") if table.has("mistakes") else ()
    if len(tables) > MAX_MISTAKES:
        table.fault("mistakes", f"has {len(tables)} mistakes; at most {MAX_MISTAKES} are allowed")
        return ()
    found = []
    for inner in tables:
        explanation = parse_text(inner, "explanation", known, numbers, most=1000)
        if options:
            found.append(Mistake(explanation, option=inner.integer("option", least=0, most=options - 1)))
        else:
            found.append(Mistake(explanation, answer=_required_formula(inner, "answer", drawn)))
        inner.close()
    return tuple(found)


def _required_formula(table: TomlTable, key: str, names: Collection[str]) -> Arithmetic:
    text = table.text(key, most=300, example='"sms * clock_ghz"')
    return (_formula(table, key, text, names) if text else None) or Arithmetic.parse("1")


def _formula(table: TomlTable, key: str, text: str, names: Collection[str]) -> Arithmetic | None:
    try:
        formula = Arithmetic.parse(text)
    except FormulaError as error:
        table.fault(key, str(error))
        return None
    if unknown := sorted(formula.names - set(names)):
        table.fault(key, f"{unknown[0][:40]!r} is not a variable with numbers; declare it in [[variables]]")
        return None
    return formula
