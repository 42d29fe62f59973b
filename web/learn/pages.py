"""The contents of the primer and of the pages of concepts, findings, terms and readings."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from problems.vocabulary import Language, Verdict
from web.catalog.markdown import render
from web.catalog.models import Problem
from web.catalog.queries import Viewer, find_problem, list_problems, tagged_with
from web.catalog.terms import Term, terms
from web.colours import colour
from web.learn.drawing import Drawing
from web.learn.figures import CONCEPT_FIGURES, PRIMER_FIGURES, READING_FIGURES
from web.learn.tasks import PROBLEM, TASKS, Task
from web.quizzes.models import Quiz
from web.quizzes.queries import find_quiz
from web.results.pages import Line, SubmissionPage, source_lines, submission_page
from web.site.concepts import CONCEPTS, Concept
from web.site.findings import FINDINGS, Finding
from web.site.readings import READINGS, Reading
from web.submissions.models import Submission
from web.submissions.queries import visible_submissions

_TEXTS = Path(__file__).with_name("texts")
_READINGS = Path(__file__).with_name("readings")
_MOST_PROBLEMS = 12
_CONTEXT = 2  # lines around a marked line
_LOOP_AND_KERNEL = """\
// on a CPU: a loop over all elements
for (int i = 0; i < n; i++) {
    c[i] = a[i] + b[i];
}

// on a GPU: a kernel, which computes one element
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // my element
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}"""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A run of a task. `lines` are the marked lines of a failed program, and those around them.

    `meaning` says what the verdict means for this task, empty if there is nothing to add. `hole` is the
    number of the line that the task is about.
    """

    task: Task
    page: SubmissionPage
    meaning: str
    hole: int | None
    lines: tuple[Line, ...]
    report_url: str
    refresh_url: str

    @property
    def accepted(self) -> bool:
        """Return whether the task is solved."""
        return self.page.report is not None and self.page.report.verdict is Verdict.ACCEPTED

    @property
    def next(self) -> Task | None:
        """Return the task after this one, None after the last."""
        tasks = list(TASKS.values())
        return next(iter(tasks[tasks.index(self.task) + 1 :]), None)


@dataclass(frozen=True, slots=True)
class TaskPanel:
    """A task on the page: the program to show, and the latest run if there is one.

    `refusal` says why the last program was not accepted for judging.
    """

    number: int
    task: Task
    source: str
    result: TaskResult | None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class PrimerPage:
    """The primer. `problem` is the problem that its tasks run, None if this site does not show it."""

    loop_and_kernel: SafeString
    figures: Mapping[str, Drawing]
    tasks: Mapping[str, TaskPanel]
    runs: str
    problem: Problem | None
    fields: tuple[tuple[str, tuple[Concept, ...]], ...]

    @property
    def solved(self) -> int:
        """Return how many tasks are solved."""
        return sum(panel.result is not None and panel.result.accepted for panel in self.tasks.values())


@dataclass(frozen=True, slots=True)
class ConceptPage:
    """A concept with its text, the problems with its tags, and the list of all problems with each tag."""

    concept: Concept
    figure: Drawing
    text: SafeString
    problems: Sequence[Problem]
    tag_urls: Mapping[str, str]
    others: tuple[Concept, ...]


@dataclass(frozen=True, slots=True)
class FindingPage:
    """A kind of finding with its text. `summary` is the first sentence."""

    finding: Finding
    summary: str
    text: SafeString


@dataclass(frozen=True, slots=True)
class TermEntry:
    """A term with its text."""

    term: Term
    text: SafeString


@dataclass(frozen=True, slots=True)
class TermLetter:
    """The terms that begin with one letter."""

    letter: str
    entries: tuple[TermEntry, ...]


@dataclass(frozen=True, slots=True)
class ReadingPage:
    """A reading, with its problem or quiz. Both are None while they are still to come."""

    reading: Reading
    figure: Drawing
    text: SafeString
    problem: Problem | None
    quiz: Quiz | None
    before: Reading | None
    after: Reading | None


def primer_page(
    viewer: Viewer, runs: Mapping[str, str], *, refused: str = "", source: str = "", refusal: str = ""
) -> PrimerPage:
    """Return the primer for `viewer`, with the run of each task by its public id.

    Unknown ids and runs of other users are ignored. If the program `source` of the task `refused` was not
    accepted for judging, its panel shows `refusal`.
    """
    found = _runs(viewer, runs)
    kept = {name: run.public_id for name, run in found.items()}
    panels = {}
    for number, task in enumerate(TASKS.values(), start=1):
        run = found.get(task.name)
        result = _result(viewer, task, run, kept) if run else None
        if task.name == refused:
            panels[task.name] = TaskPanel(number, task, source, None, refusal)
        else:
            panels[task.name] = TaskPanel(number, task, run.source if run else task.starter, result)
    return PrimerPage(
        loop_and_kernel=colour(_LOOP_AND_KERNEL, Language.CUDA),
        figures=PRIMER_FIGURES,
        tasks=panels,
        runs=urlencode(kept),
        problem=find_problem(viewer, PROBLEM),
        fields=_fields(),
    )


def task_result(viewer: Viewer, task: Task, public_id: str) -> TaskResult | None:
    """Return the run of `task` with that id, None if it is not a run of the viewer's own."""
    runs = {task.name: public_id}
    found = _runs(viewer, runs).get(task.name)
    return _result(viewer, task, found, runs) if found else None


def address(runs: Mapping[str, str], task: Task) -> str:
    """Return the address of the primer with these runs, at `task`."""
    query = f"?{urlencode(runs)}" if runs else ""
    return f"{reverse('primer')}{query}#task-{task.name}"


def concept_page(viewer: Viewer, concept: Concept) -> ConceptPage:
    """Return the page of `concept`, with the problems that `viewer` may see."""
    return ConceptPage(
        concept=concept,
        figure=CONCEPT_FIGURES[concept.slug],
        text=render(text_of(concept), anchors="s-"),
        problems=tuple(list_problems(viewer).filter(tagged_with(concept.tags))[:_MOST_PROBLEMS]),
        tag_urls={tag: f"{reverse('problems')}?{urlencode({'tag': tag})}" for tag in concept.tags},
        others=tuple(
            other for other in CONCEPTS.values() if other.field == concept.field and other != concept
        ),
    )


@cache
def text_of(concept: Concept) -> str:
    """Return the text of a concept as Markdown."""
    return (_TEXTS / f"{concept.slug}.md").read_text(encoding="utf-8")


def finding_page(finding: Finding) -> FindingPage:
    """Return the page of `finding`."""
    return FindingPage(finding, *_texts_of(finding))


def finding_pages() -> tuple[FindingPage, ...]:
    """Return the pages of all findings, in the order of their titles."""
    return tuple(map(finding_page, sorted(FINDINGS.values(), key=lambda finding: finding.title)))


def terms_page() -> tuple[TermLetter, ...]:
    """Return the terms by their first letters."""
    by_letter = groupby(terms(), key=lambda term: term.name[0].upper())
    return tuple(
        TermLetter(letter, tuple(TermEntry(term, render(term.text)) for term in of_letter))
        for letter, of_letter in by_letter
    )


def reading_page(viewer: Viewer, reading: Reading) -> ReadingPage:
    """Return the page of `reading`, with its problem or quiz if `viewer` may see it."""
    order = [*READINGS.values()]
    at = order.index(reading)
    problem = find_problem(viewer, reading.slug)
    return ReadingPage(
        reading=reading,
        figure=READING_FIGURES[reading.slug],
        text=render(reading_text(reading), anchors="s-", terms=True, unlinked=frozenset(reading.unlinked)),
        problem=problem,
        quiz=None if problem else find_quiz(viewer, reading.slug),
        before=order[at - 1] if at else None,
        after=next(iter(order[at + 1 :]), None),
    )


@cache
def reading_text(reading: Reading) -> str:
    """Return the text of a reading as Markdown."""
    return (_READINGS / f"{reading.slug}.md").read_text(encoding="utf-8")


@cache
def _texts_of(finding: Finding) -> tuple[str, SafeString]:
    sentence, _, _ = finding.why.removesuffix(".").partition(". ")
    return sentence + ".", render(finding.text, anchors="s-")


def _fields() -> tuple[tuple[str, tuple[Concept, ...]], ...]:
    by_field = groupby(CONCEPTS.values(), key=lambda concept: concept.field)
    return tuple((str(field), tuple(concepts)) for field, concepts in by_field)


def _runs(viewer: Viewer, ids: Mapping[str, str]) -> dict[str, Submission]:
    """Return the viewer's own runs with these ids, in one query."""
    if not viewer.is_authenticated or not ids:
        return {}
    own = visible_submissions(viewer).filter(
        user=viewer.pk,
        problem__slug=PROBLEM,
        language=Language.CUDA.value,
        personal_node=False,
        public_id__in=ids.values(),
    )
    by_id = {run.public_id: run for run in own}
    return {name: by_id[public_id] for name, public_id in ids.items() if public_id in by_id}


def _result(viewer: Viewer, task: Task, run: Submission, runs: Mapping[str, str]) -> TaskResult:
    page = submission_page(run, viewer)
    verdict = page.report.verdict if page.report else None
    failed = verdict not in {None, Verdict.ACCEPTED}
    meaning = task.meanings.get(verdict, "") if verdict else ""
    hole = task.hole_line(run.source) if failed and meaning else None
    return TaskResult(
        task=task,
        page=page,
        meaning=meaning,
        hole=hole,
        lines=_excerpt(source_lines(run, page.findings), hole) if failed else (),
        report_url=reverse("task-result", args=[task.name, run.public_id]),
        # A link to the same address with a fragment would not load the page again.
        refresh_url=address({**runs, "again": secrets.token_hex(2)}, task),
    )


def _excerpt(lines: list[Line], hole: int | None) -> tuple[Line, ...]:
    """Return the marked lines and those around them, none if no line is marked."""
    marked = [line.number for line in lines if line.findings or line.number == hole]
    return tuple(line for line in lines if any(abs(line.number - number) <= _CONTEXT for number in marked))
