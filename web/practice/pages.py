"""What the page of a problem shows, put together from queries."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.safestring import SafeString

from problems.schema import suits_gpu
from problems.translations import locale_name, preferred
from problems.vocabulary import Language
from web.catalog.arguments import Argument
from web.catalog.markdown import render
from web.catalog.models import Problem
from web.catalog.queries import Viewer
from web.drafts.queries import find_draft
from web.fleet.queries import shown_gpu_models
from web.packages.figures import pictures
from web.practice.queries import last_language

ORIGINAL_TEXT = "original"  # in addresses: the statement as it was written, whatever the browser prefers


@dataclass(frozen=True, slots=True)
class ProblemPage:
    """A problem with its statement rendered, and the program to go on with.

    `source` is the viewer's draft at `revision`, or the starter at revision 0. `commands` hand a file in from
    a terminal, by language. `locale` is what the statement is written in, empty for the original, and
    `locales` are the others that there are, with their names.
    """

    language: Language
    statement: SafeString
    locale: str
    locales: tuple[tuple[str, str], ...]
    source: str
    revision: int
    saved: datetime | None
    arguments: list[Argument]
    sample_sizes: dict[str, int]
    commands: dict[str, str]
    gpu_models: tuple[str, ...]
    functional: bool


def usual_language(viewer: Viewer, problem: Problem) -> Language:
    """The language that `viewer` used last, if `problem` takes it, else the first that it takes."""
    last = last_language(viewer)
    return Language(last if last in problem.languages else problem.languages[0])


def chosen_locale(problem: Problem, asked: str | None, accepted: str) -> str:
    """The locale to read the statement in, empty for the original.

    `asked` is what the address says, `original` for that one; else the browser's Accept-Language decides.
    """
    if asked == ORIGINAL_TEXT:
        return ""
    if asked is not None and asked in problem.translations:
        return asked
    return preferred(accepted, problem.translations)


def problem_page(viewer: Viewer, problem: Problem, language: Language, locale: str = "") -> ProblemPage:
    """All that the page of `problem` shows to `viewer`, with the statement in `locale`."""
    draft = find_draft(viewer, problem, language)
    text = problem.translations[locale] if locale else problem.statement
    return ProblemPage(
        language=language,
        statement=render(text, anchors="s-", pictures=pictures(problem, text)),
        locale=locale,
        locales=tuple((known, locale_name(known)) for known in sorted(problem.translations)),
        source=draft.source if draft else problem.starters[language.value],
        revision=draft.revision if draft else 0,
        saved=draft.saved if draft else None,
        arguments=[
            Argument(
                entry["name"], entry["role"], entry["dtype"], " \N{MULTIPLICATION SIGN} ".join(entry["shape"])
            )
            for entry in problem.signature
        ],
        sample_sizes=problem.samples[0]["sizes"] if problem.samples else {},
        commands={
            known.value: f"warpcourt submit {problem.slug}{known.suffix} --watch" for known in Language
        },
        gpu_models=tuple(model for model in shown_gpu_models() if suits_gpu(problem.gpu_words, model)),
        functional=settings.WARPCOURT.target == "cpu",
    )
