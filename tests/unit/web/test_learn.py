"""Tests the primer, its tasks, and the pages of concepts: every tag has one, and every link works."""

import re
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client

from judge.report import CaseReport, Diagnostic, Mismatch, Report
from problems.loader import load_problem, problems_root
from problems.vocabulary import DiagnosticKind, Group, Language, Mode, Severity, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record
from web.catalog.models import Problem
from web.learn.figures import CONCEPT_FIGURES, PRIMER_FIGURES
from web.learn.pages import finding_page, text_of
from web.learn.tasks import PROBLEM, TASKS, draw_size
from web.results.fixes import FIXES
from web.site import concepts
from web.site.concepts import CONCEPTS
from web.site.findings import FINDINGS, page_of_finding
from web.site.findings import TEXTS as FINDING_TEXTS
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db
SHIPPED = sorted(path.parent.name for path in problems_root().glob("*/problem.toml"))
TEXTS = Path(concepts.__file__).parents[1] / "learn" / "texts"
BLOCK = 256
OUTSIDE = Diagnostic(Severity.ERROR, DiagnosticKind.OUT_OF_BOUNDS, "out-of-bounds read of a", line=6)


def page_of(client: Client, address: str) -> str:
    """The page at `address`, which must exist and have the part that a fragment names."""
    path, _, fragment = address.partition("#")
    answer = client.get(path, follow=True)
    assert answer.status_code == 200, address
    page = answer.content.decode()
    assert not fragment or f'id="{fragment}"' in page, address
    return page


def post(client: Client, task: str, source: str = "x", runs: str = ""):
    return client.post(f"/learn/tasks/{task}", {"source": source, "runs": runs})


@pytest.mark.parametrize("slug", SHIPPED)
def test_every_tag_of_a_shipped_problem_has_a_page(slug: str) -> None:
    for tag in load_problem(problems_root() / slug).tags:
        assert concepts.concept_of_tag(tag), tag


@pytest.mark.parametrize("slug", CONCEPTS)
def test_a_concept_has_a_text_with_code_a_figure_and_links_that_lead_somewhere(problem, client, slug) -> None:
    page = page_of(client, CONCEPTS[slug].url)
    assert CONCEPT_FIGURES[slug].description in page.replace("&#x27;", "'")
    text = text_of(CONCEPTS[slug])
    assert "```cuda" in text
    assert len(text.split()) > 100
    for address in re.findall(r"\]\((/[^)]*)\)", text):
        page_of(client, address)


def test_there_are_no_other_texts_and_figures() -> None:
    assert {path.stem for path in TEXTS.iterdir()} == set(CONCEPTS) == set(CONCEPT_FIGURES)


@pytest.mark.parametrize(
    "target", sorted({target for targets in concepts.OF_VERDICT.values() for target in targets})
)
def test_verdicts_lead_to_a_section_that_exists(problem, client, target: str) -> None:
    page_of(client, concepts.lesson_at(target).url)


@pytest.mark.parametrize("kind", FINDINGS)
def test_a_finding_has_a_page_with_the_mistake_and_its_correction(problem, client, kind: str) -> None:
    finding = FINDINGS[kind]
    page = page_of(client, finding.url)
    assert finding.title in page
    for section in ("The mistake", "The correction", "What to check"):
        assert section in page
    page_of(client, finding.lesson.url)
    summary = finding_page(finding).summary
    assert summary.endswith(".")
    assert not summary.endswith("..")
    assert "\n" not in summary
    assert finding.why.startswith(summary.removesuffix("."))
    assert finding.check
    assert not {"`", "\n"} & {*finding.why, *finding.check}
    assert f'href="{finding.url}"' in client.get("/learn/findings").content.decode()


def test_each_finding_that_the_site_can_fix_has_a_page_and_no_other_text_exists() -> None:
    assert {path.stem for path in FINDING_TEXTS.iterdir()} == set(FINDINGS)
    assert set(FIXES) <= set(FINDINGS)


def test_an_unknown_finding_is_not_found(client, db) -> None:
    assert client.get("/learn/findings/nothing").status_code == 404


def test_figures_have_no_ids_styles_or_scripts() -> None:
    for drawing in [*PRIMER_FIGURES.values(), *CONCEPT_FIGURES.values()]:
        assert not re.search(r"\b(id|style|on\w+)=|<script|<style|href", drawing.svg)
        assert 'role="img"' in drawing.svg
        assert drawing.caption
        assert drawing.description.endswith(".")


def test_a_statement_links_its_tags(client, db) -> None:
    new_problem("tagged", tags=["shared memory", "of the author"])
    page = client.get("/problems/tagged").content.decode()
    assert 'href="/learn/shared-memory"' in page
    assert 'href="/problems?tag=of+the+author"' in page


def test_a_concept_lists_the_problems_with_its_tag_that_the_reader_may_see(client, db) -> None:
    new_problem("here", tags=["scan"])
    new_problem("elsewhere", tags=["reduction"])
    new_problem("draft", tags=["scan"], published=False)
    page = client.get("/learn/scan").content.decode()
    assert "/problems/here" in page
    assert "/problems/elsewhere" not in page
    assert "/problems/draft" not in page
    assert "/problems?tag=scan" in page


def test_a_concept_also_lists_the_problems_of_its_further_tags_once(client, db) -> None:
    new_problem("both", tags=["quantisation", "int4"])
    new_problem("further", tags=["int8"])
    page = client.get("/learn/quantisation").content.decode()
    for slug in ("both", "further"):
        assert page.count(f'href="/problems/{slug}"') == 1
    for tag in ("quantisation", "int4", "int8"):
        assert f'href="/problems?tag={tag}"' in page
        assert concepts.concept_of_tag(tag) is CONCEPTS["quantisation"]


def test_further_tags_lead_to_concepts_and_have_no_page_of_their_own() -> None:
    assert set(concepts.FURTHER_TAGS.values()) <= set(CONCEPTS)
    assert not set(concepts.FURTHER_TAGS) & {concept.tag for concept in CONCEPTS.values()}


def test_an_unknown_concept_is_not_found(client, db) -> None:
    assert client.get("/learn/nothing").status_code == 404
    assert client.get("/learn/tasks/nothing/abc").status_code == 302


def test_the_home_page_the_list_the_header_and_the_help_lead_to_the_primer(problem, client) -> None:
    for path in ("/", "/problems", "/help"):
        assert 'href="/learn"' in client.get(path).content.decode()
    assert 'href="/learn/bounds"' in client.get("/help").content.decode()


class TestEasyProblem:
    HINT = "Never written a kernel?"

    def test_it_offers_the_primer_until_it_was_attempted(self, problem, owner, client) -> None:
        client.force_login(owner)
        assert self.HINT in client.get("/problems/vector-add").content.decode()
        run = services.submit(owner, problem, language=Language.CUDA, source="x", mode=Mode.RUN)
        record(run, Report(Verdict.WRONG_ANSWER))
        assert self.HINT not in client.get("/problems/vector-add").content.decode()

    def test_a_hard_problem_does_not(self, client, db) -> None:
        new_problem("hard", difficulty="hard")
        assert self.HINT not in client.get("/problems/hard").content.decode()


class TestReport:
    def test_a_finding_leads_to_its_page(self, handed_in, owner, client) -> None:
        record(handed_in(owner), Report(Verdict.ILLEGAL_ACCESS, OUTSIDE.message, diagnostics=(OUTSIDE,)))
        client.force_login(owner)
        page = client.get(f"/s/{Submission.objects.get().public_id}").content.decode()
        assert (
            '<a class="lesson-link" href="/learn/findings/out_of_bounds">Learn: Access outside an array</a>'
            in page
        )

    def test_an_unknown_kind_of_a_runner_leads_nowhere(self) -> None:
        assert page_of_finding("made-up") is None


class TestPrimer:
    def test_a_visitor_reads_everything_and_signs_in_to_run(self, problem, client) -> None:
        page = client.get("/learn").content.decode()
        assert page.count("Sign in to run") == len(TASKS)
        assert "/learn%23task-guard" in page
        assert post(client, "index")["Location"].startswith("/accounts/login/")
        assert not Submission.objects.exists()

    def test_a_task_is_a_run_that_the_page_follows(self, problem, owner, client) -> None:
        client.force_login(owner)
        answer = post(client, "guard", "my program")
        run = Submission.objects.get()
        assert (run.mode, run.problem.slug, run.source) == (Mode.RUN, PROBLEM, "my program")
        assert set(run.sizes) == {"n"}
        assert answer["Location"] == f"/learn?guard={run.public_id}#task-guard"
        page = client.get(answer["Location"]).content.decode()
        assert "my program" in page
        assert f'data-report="/learn/tasks/guard/{run.public_id}"' in page
        assert 'data-widget="verdict"' in page

    def test_a_failed_run_is_explained_with_its_lines(self, problem, owner, client) -> None:
        client.force_login(owner)
        post(client, "guard", TASKS["guard"].starter)
        run = Submission.objects.get()
        record(run, Report(Verdict.ILLEGAL_ACCESS, OUTSIDE.message, diagnostics=(OUTSIDE,)))
        page = client.get(f"/learn/tasks/guard/{run.public_id}").content.decode()
        assert "Illegal access" in page
        assert "<strong>Line 6:</strong>" in page
        assert "Put the access into an if statement" in page
        assert re.search(r'class="line marked tone-bad"><span class="line-number">6<', page)
        assert page.count('class="line-number"') == 5
        assert "/learn/findings/out_of_bounds" in page
        assert page in client.get(f"/learn?guard={run.public_id}").content.decode()

    def test_a_wrong_answer_points_to_the_hole(self, problem, owner, client) -> None:
        client.force_login(owner)
        post(client, "index", TASKS["index"].starter)
        case = CaseReport(
            "custom",
            Group.SAMPLE,
            public=True,
            verdict=Verdict.WRONG_ANSWER,
            sizes={"n": 700},
            mismatches=(Mismatch("c", (1,), "2", "never written", None, None),),
        )
        run = record(Submission.objects.get(), Report(Verdict.WRONG_ANSWER, cases=(case,)))
        page = client.get(f"/learn/tasks/index/{run.public_id}").content.decode()
        assert "<strong>Line 4:</strong>" in page
        assert "c[1]" in page

    def test_solved_tasks_are_counted_and_kept_in_the_address(self, problem, owner, client) -> None:
        client.force_login(owner)
        post(client, "index")
        first = record(Submission.objects.get(), Report(Verdict.ACCEPTED))
        page = client.get(f"/learn?index={first.public_id}").content.decode()
        assert "1 of 3 tasks solved" in page
        kept = re.search(r'name="runs" value="([^"]*)"', page)
        assert kept
        assert f"index={first.public_id}&guard=" in post(client, "guard", runs=kept[1])["Location"]

    def test_a_reader_who_comes_back_continues_or_starts_over(self, problem, owner, teammate, client) -> None:
        client.force_login(owner)
        post(client, "index", "my program")
        record(Submission.objects.get(), Report(Verdict.ACCEPTED))
        page = client.get("/learn").content.decode()
        assert "my program" in page
        assert "1 of 3 tasks solved" in page
        assert 'href="#task-guard">Next: Add the guard</a>' in page
        assert "my program" not in client.get("/learn?restart=1").content.decode()
        client.force_login(teammate)
        assert "my program" not in client.get("/learn").content.decode()

    def test_the_page_of_the_problem_does_not_show_the_run_of_a_task(self, problem, owner, client) -> None:
        client.force_login(owner)
        post(client, "index", "my program")
        record(Submission.objects.get(), Report(Verdict.ACCEPTED))
        page = client.get("/problems/vector-add?language=cuda").content.decode()
        assert "Your latest run" not in page

    def test_runs_of_others_and_nonsense_are_ignored(self, problem, owner, teammate, client) -> None:
        client.force_login(owner)
        post(client, "index", "a secret of the owner")
        run = Submission.objects.get()
        client.force_login(teammate)
        page = client.get(f"/learn?index={run.public_id}&guard=%00&launch=a%20b").content.decode()
        assert "a secret of the owner" not in page
        assert client.get(f"/learn/tasks/index/{run.public_id}").status_code == 404

    def test_a_program_that_is_not_taken_stays_on_the_page(self, problem, owner, client) -> None:
        client.force_login(owner)
        answer = post(client, "launch", "y" * (64 * 1024 + 1))
        assert answer.status_code == 422
        page = answer.content.decode()
        assert "The limit of Vector add is 65536" in page
        assert "y" * 1000 in page

    def test_a_site_without_the_problem_says_so(self, problem, owner, client) -> None:
        Problem.objects.update(published=False)
        client.force_login(owner)
        assert "does not offer" in client.get("/learn").content.decode()
        assert post(client, "index").status_code == 404

    def test_it_takes_few_queries(self, problem, owner, client, django_assert_max_num_queries) -> None:
        client.force_login(owner)
        for task in TASKS:
            post(client, task)
        ids = [record(run, Report(Verdict.ACCEPTED)).public_id for run in Submission.objects.order_by("pk")]
        cache.clear()
        with django_assert_max_num_queries(16):
            client.get("/learn?" + "&".join(f"{task}={run}" for task, run in zip(TASKS, ids, strict=True)))


def test_a_size_is_never_a_multiple_of_the_block_size() -> None:
    assert all(draw_size() % BLOCK for _ in range(3000))


def test_starters_have_their_hole_in_one_line() -> None:
    for task in TASKS.values():
        assert sum(task.hole in line for line in task.starter.split("\n")) == 1
        assert task.hole_line("nothing") is None
