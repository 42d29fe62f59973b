"""The contents of the page of a problem."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.safestring import SafeString

from judge.values import as_text
from problems import schema
from problems.schema import suits_gpu
from problems.translations import locale_name, preferred
from problems.vocabulary import Language
from web.accounts.models import User
from web.catalog.arguments import Argument, CaseSize, argument_row, case_size
from web.catalog.folding import folded
from web.catalog.markdown import render
from web.catalog.models import Problem
from web.catalog.queries import Viewer, may_discuss, neighbours
from web.drafts.models import Note
from web.drafts.notes import find_note
from web.drafts.queries import find_draft
from web.fleet.personal import serves
from web.fleet.queries import shown_gpu_models
from web.hints.pages import HintsPart, hints_part
from web.packages.figures import pictures
from web.practice.queries import last_language
from web.results.forms import new_form_key
from web.results.pages import SubmissionPage, submission_page
from web.submissions.gpu_time import GpuTime, tightest
from web.submissions.queries import latest_submission

ORIGINAL_TEXT = "original"  # in addresses: the original statement, regardless of the browser's preference


@dataclass(frozen=True, slots=True)
class CustomInput:
    """An input for which a run may give values. `size` is the size that their number determines, if any."""

    name: str
    dtype: str
    shape: str
    size: str
    rule: str


@dataclass(frozen=True, slots=True)
class ProblemPage:
    """A problem with its rendered statement, and the program to continue with.

    `source` is the viewer's draft at `revision`, or the starter at revision 0. `commands` submit a file from
    a terminal, by language. `locale` is the locale of the statement, empty for the original, and `locales`
    are the other ones, with their names. `discusses` says whether the discussion is open.
    `last` is the viewer's latest submission in the language, None if there is none. `key` is the random key
    of the form. `note` is the viewer's note, None if there is none. `before` and `after` are the neighbours
    in the list of problems. `custom` are the inputs for which a run may give values, and `sample_values` the
    texts of those that the first sample states. `gpu_time` is the limit of the viewer's GPU time, None if
    there is none, or no GPU.
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
    sizes: tuple[CaseSize, ...]
    custom: tuple[CustomInput, ...]
    sample_values: dict[str, str]
    commands: dict[str, str]
    gpu_models: tuple[str, ...]
    gpus: int
    ranks: int
    personal_node: bool
    gpu_time: GpuTime | None
    functional: bool
    discusses: bool
    hints: HintsPart
    last: SubmissionPage | None
    key: str
    note: Note | None
    before: Problem | None
    after: Problem | None

    @property
    def on_host(self) -> bool:
        """Return whether `solve` gets an array in host memory, so that the problem is not timed."""
        return any(argument.on_host for argument in self.arguments)

    @property
    def placed(self) -> bool:
        """Return whether the table says where arrays are."""
        return any(argument.memory for argument in self.arguments)

    @property
    def last_is_current(self) -> bool:
        """Return whether the latest submission is the program to continue with."""
        return self.last is not None and self.last.submission.source == self.source.replace("\r\n", "\n")


def usual_language(viewer: Viewer, problem: Problem) -> Language:
    """Return the language that `viewer` used last if `problem` takes it, else its first language."""
    last = last_language(viewer)
    return Language(last if last in problem.languages else problem.languages[0])


def chosen_locale(problem: Problem, asked: str | None, accepted: str) -> str:
    """Return the locale of the statement to show, empty for the original.

    `asked` is the locale in the address, `original` for the original. Without it, the browser's
    Accept-Language decides.
    """
    if asked == ORIGINAL_TEXT:
        return ""
    if asked is not None and asked in problem.translations:
        return asked
    return preferred(accepted, problem.translations)


def problem_page(viewer: Viewer, problem: Problem, language: Language, locale: str = "") -> ProblemPage:
    """Return the contents of the page of `problem` for `viewer`, with the statement in `locale`."""
    draft = find_draft(viewer, problem, language)
    last = latest_submission(viewer, problem, language)
    source = draft.source if draft else problem.starters[language.value]
    before, after = neighbours(viewer, problem)
    offered = shown_gpu_models(together=problem.gpu_count)
    text = problem.translations[locale] if locale else problem.statement
    sample_sizes: dict[str, int] = problem.samples[0]["sizes"] if problem.samples else {}
    return ProblemPage(
        language=language,
        statement=folded(_rendered(problem, text), _rendered(problem, problem.statement)),
        locale=locale,
        locales=tuple((known, locale_name(known)) for known in sorted(problem.translations)),
        source=source,
        revision=draft.revision if draft else 0,
        saved=draft.saved if draft else None,
        arguments=[
            argument_row(argument, gpus=problem.gpu_count // problem.ranks) for argument in problem.arguments
        ],
        sample_sizes=sample_sizes,
        sizes=tuple(
            case_size(name, value, problem.arguments, most=problem.size_limits[name])
            for name, value in sample_sizes.items()
        ),
        custom=_custom(problem),
        sample_values=_sample_values(problem),
        commands={
            known.value: f"warpcourt submit {problem.slug}{known.suffix} --watch" for known in Language
        },
        gpus=problem.gpu_count,
        ranks=problem.ranks,
        gpu_models=tuple(model for model in offered if suits_gpu(problem.gpu_words, model)),
        personal_node=isinstance(viewer, User) and problem.on_personal_nodes and serves(viewer),
        gpu_time=tightest(viewer) if isinstance(viewer, User) and offered else None,
        functional=settings.WARPCOURT.target == "cpu",
        discusses=may_discuss(viewer, problem),
        hints=hints_part(viewer, problem),
        last=submission_page(last, viewer) if last else None,
        key=new_form_key(),
        note=find_note(viewer, problem),
        before=before,
        after=after,
    )


def _custom(problem: Problem) -> tuple[CustomInput, ...]:
    if not settings.WARPCOURT.max_custom_values:
        return ()
    return tuple(
        CustomInput(
            argument.name,
            argument.dtype.value,
            " \N{MULTIPLICATION SIGN} ".join(formula.text for formula in argument.shape),
            _only_size(argument),
            _rule(argument),
        )
        for argument in problem.custom_arguments
    )


def _only_size(argument: schema.Argument) -> str:
    texts = [formula.text.strip() for formula in argument.shape]
    return texts[0] if len(texts) == 1 and texts[0] in argument.shape[0].names else ""


def _rule(argument: schema.Argument) -> str:
    """Return what the values must keep to, in words."""
    rule = argument.values
    if rule is None:
        return ""
    bounds = [f"from {rule.least.text}"] if rule.least else []
    bounds += [f"to {rule.most.text}"] if rule.most else []
    return ", ".join([*([" ".join(bounds)] if bounds else []), *([rule.order.value] if rule.order else [])])


def _sample_values(problem: Problem) -> dict[str, str]:
    """Return the texts of the inputs that the first sample states and that a run may give."""
    stated = problem.samples[0].get("inputs", {}) if problem.samples else {}
    most = settings.WARPCOURT.max_custom_values
    known = {argument.name for argument in problem.custom_arguments}
    return {name: as_text(v) for name, v in stated.items() if name in known and len(v) <= most}


def _rendered(problem: Problem, text: str) -> SafeString:
    return render(text, anchors="s-", pictures=pictures(problem, text), terms=True)
