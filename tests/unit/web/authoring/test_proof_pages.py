"""Tests the pages of proofs, previews and versions: progress, reports with advice, changed ranks."""

from dataclasses import replace

import pytest

from judge.proof.mutants.cuda import cuda_mutants
from judge.proof.results import (
    Attempt,
    MutantOutcome,
    ProgramOutcome,
    Proof,
    ProofCheck,
    Section,
    SectionState,
    TimedSize,
    ToleranceReport,
    error,
    to_json,
    warning,
)
from judge.report import Report, Score
from problems.vocabulary import Language, Verdict
from web.authoring import folders, queries
from web.authoring.editing.solutions import read_solutions
from web.authoring.models import Role, RunKind, Workspace
from web.authoring.queries import latest_run
from web.authoring.queue import queue as proofs
from web.authoring.ranks import rank_changes
from web.authoring.services import publishing
from web.authoring.tabs import tab_of
from web.rejudges import rejudging
from web.rejudges.models import Rejudge
from web.rejudges.queue import queue as hidden_runs
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db
REPORT = Proof(
    "my-sum",
    "v",
    (
        replace(error("problem.toml: tolerance", "is loose", "lower it"), check=ProofCheck.TOLERANCES),
        replace(warning("statement.md: line 3", "is long", "cut it"), check=ProofCheck.ACCESSIBILITY),
    ),
    (
        ProgramOutcome(
            "solutions/plain.cu", Language.CUDA, Verdict.ACCEPTED, Verdict.WRONG_ANSWER, "c[0]", 12.0
        ),
        ProgramOutcome("zeros (cuda)", Language.CUDA, None, Verdict.WRONG_ANSWER, "", 5.0),
    ),
    (
        Section(ProofCheck.TOLERANCES, SectionState.FAILS, 40.0),
        Section(ProofCheck.ACCESSIBILITY, SectionState.WARNS),
    ),
    (ToleranceReport("c", "float32", 1e-2, 0.0, 5e-7, 0.0, (Attempt("in float16", False, True, 0.1),)),),
    (TimedSize("hbm", "H200", {"n": 400}, 0.5, 10**6, 10**9, {"n": 64000000}),),
    mutants=(
        MutantOutcome(
            "solutions/plain.cu", "off by one", Language.CUDA, 9, "i < n becomes i <= n", Verdict.ACCEPTED
        ),
        MutantOutcome("solutions/plain.cu", "swapped", Language.CUDA, 8, "a for b", Verdict.WRONG_ANSWER),
    ),
)


@pytest.fixture
def ask(client, instructor, workspace):
    """Gets and posts below the workspace, as its owner."""
    client.force_login(instructor)

    def send(path: str, sent: dict[str, object] | None = None, **headers: str):
        url = f"/author/{workspace.slug}/{path}"
        return client.get(url, headers=headers) if sent is None else client.post(url, sent, headers=headers)

    return send


def proved(ask, report: Proof) -> None:
    ask("proof/prove", {"gpu": "L4"})
    proofs.record(proofs.claim("node-1"), to_json(report), holds=report.holds)


class TestProof:
    def test_its_progress_is_live_and_it_can_be_cancelled(self, ask, workspace):
        assert ask("proof/prove", {"gpu": "L4"}).status_code == 302
        run = latest_run(workspace)
        assert run.wanted == {"gpu": "L4"}
        assert "Waiting for a worker" in ask("proof").content.decode()
        claim = proofs.claim("node-1")
        step = {"kind": "checked", "text": "plain.cu: accepted", "index": 3, "total": 9, "at_s": 1.2}
        proofs.show_steps(claim, [step])
        part = ask(f"proof/{run.pk}", HX_Request="true").content.decode()
        assert "3 of 9" in part
        assert "<html" not in part
        ask(f"proof/{run.pk}/cancel", {})
        assert "was cancelled" in ask("proof").content.decode()
        assert ask(f"proof/{run.pk}", HX_Request="true").headers["HX-Refresh"] == "true"

    def test_it_tells_why_a_solution_does_not_compile(self, ask):
        finding = error("solutions/b.cu", "got compile_error: line 3: x is undefined", "correct the error")
        finding = replace(finding, check=ProofCheck.SOLUTIONS, details=("line 9: <b>expected</b> a brace",))
        proved(ask, replace(REPORT, findings=(finding,)))
        text = ask("proof").content.decode()
        assert "line 3: x is undefined" in text
        assert "<li>line 9: &lt;b&gt;expected&lt;/b&gt; a brace</li>" in text

    def test_the_report_says_what_to_do_and_where(self, ask, workspace):
        proved(ask, REPORT)
        text = ask("proof").content.decode()
        for words in (
            "Proof failed",
            "1 error, 1 warning",
            "is loose",
            "lower it",
            f"/author/{workspace.slug}/checking",
            "unexpected",
            "score 50 %",
            "i &lt; n becomes i &lt;= n",
            "in float16",
            "n = 64000000",
        ):
            assert words in text, words

    def test_recommended_values_stand_beside_the_tolerance(self, ask):
        proved(ask, REPORT)
        assert "<b>relative 5e-07</b>" in ask("checking").content.decode()

    def test_it_is_stale_once_somebody_writes(self, ask):
        proved(ask, REPORT)
        ask("editorial", {"expected": 1, "text": "More."})
        assert "The files have changed since" in ask("proof").content.decode()

    def test_a_report_of_another_form_breaks_no_page(self, ask):
        ask("proof/prove", {"gpu": "L4"})
        proofs.record(proofs.claim("node-1"), {"format": 99}, holds=False)
        assert ask("proof").status_code == 200
        assert ask("solutions").status_code == 200

    def test_viewers_may_not_ask_for_one(self, client, member, workspace):
        client.force_login(member(Role.VIEWER))
        assert client.post(f"/author/{workspace.slug}/proof/prove", {}).status_code == 403

    @pytest.mark.parametrize(
        ("place", "tab"),
        [
            ("problem.toml: cases[2].sizes", "cases"),
            ("problem.toml: tolerance", "checking"),
            ("solutions/plain.cu", "solutions"),
            ("statement.md: ## Example", "statement"),
            ("problem.toml: title", "statement"),
            ("problem.toml: arguments[1].shape[0]", "signature"),
            ("problem.toml: arguments[1].tolerance", "checking"),
            ("problem.toml", "files"),
            ("elsewhere", ""),
        ],
    )
    def test_findings_lead_to_their_tab(self, place, tab):
        assert tab_of(place) == tab


class TestPreview:
    def test_it_shows_what_a_case_draws(self, ask, workspace):
        answer = ask("reference/preview", {"case": "example", "seed": "7"}, HX_Request="true")
        assert "Waiting for a worker" in answer.content.decode()
        run = latest_run(workspace, RunKind.PREVIEW)
        array = {
            "name": "a",
            "part": "input",
            "dtype": "float32",
            "shape": [5],
            "size_bytes": 20,
            "least": -1.0,
            "greatest": 2.5,
            "mean": 0.5,
            "nans": 1,
            "infinities": 0,
            "first": ["1", "nan"],
        }
        report = {
            "case": "example",
            "sizes": {"n": 5},
            "seed": "7",
            "generator_ms": 1.5,
            "reference_ms": 2.5,
            "arrays": [array],
        }
        proofs.record(proofs.claim("node-1"), report)
        text = ask(f"reference/preview/{run.pk}").content.decode()
        for words in ("n = 5", "from -1 to 2.5, mean 0.5", "1 NaN", "1.50 ms", "1  nan"):
            assert words in text, words

    def test_the_authors_failure_is_shown(self, ask, workspace):
        ask("reference/preview", {"case": "example"})
        proofs.record_failure(proofs.claim("node-1"), "line 3: division by zero")
        assert "division by zero" in ask("reference").content.decode()

    @pytest.mark.parametrize(
        "sent", [{"sizes": "n is 5"}, {"sizes": "m = 5"}, {"case": "example", "seed": "x"}]
    )
    def test_what_cannot_be_drawn_is_said(self, ask, workspace, sent):
        text = ask("reference/preview", sent, HX_Request="true").content.decode()
        assert 'class="errors"' in text
        assert latest_run(workspace, RunKind.PREVIEW) is None


class TestVersions:
    @pytest.fixture
    def live(self, ask, workspace, instructor) -> Workspace:
        """The workspace, with its first version live."""
        proved(ask, replace(REPORT, findings=()))
        workspace.refresh_from_db()
        publishing.publish(workspace, instructor, note="The first")
        return workspace

    def test_only_what_is_proved_is_published(self, ask):
        answer = ask("publish", {"expected": 1, "how": "now"})
        assert "not passed a proof" in str(list(answer.wsgi_request._messages)[-1])

    def test_not_what_somebody_changed_meanwhile(self, ask, live):
        answer = ask("publish", {"expected": 0, "how": "now"})
        assert "The files changed" in str(list(answer.wsgi_request._messages)[-1])

    def test_a_change_of_texts_keeps_the_verdicts(self, ask, live):
        ask("editorial", {"expected": live.revision, "text": "Another text."})
        text = ask("publish").content.decode()
        assert "only texts, starters or solutions changed" in text
        assert "Another text." in text

    def test_versions_can_be_compared_and_come_back(self, ask, live, instructor):
        ask("editorial", {"expected": live.revision, "text": "Another text."})
        proved(ask, replace(REPORT, findings=()))
        live.refresh_from_db()
        ask("publish", {"expected": live.revision, "how": "now", "note": "Words"})
        assert "Another text." in ask("versions/2").content.decode()
        ask("versions/1/live", {"how": "now"})
        assert "Version 1</h2>" in ask("versions/1").content.decode().replace(
            ' <span class="tag tone-good">live</span>', ""
        )
        assert ask("versions/9").status_code == 404

    def test_rejudges_of_other_problems_are_none_of_its(self, ask, live, staff, handed_in, owner):
        handed_in(owner)
        services.record(services.claim("w"), Report(Verdict.ACCEPTED))
        other = rejudging.start(staff, Submission.objects.all(), reason="x", chosen={})
        assert ask(f"rejudges/{other.pk}").status_code == 404


class TestRanks:
    def test_places_that_would_change(self, owner, teammate, staff, handed_in, live_gpus):
        live_gpus("NVIDIA H200")

        def timed(us: float, verdict: Verdict = Verdict.ACCEPTED) -> Report:
            ranked = verdict is Verdict.ACCEPTED
            score = Score(us, us * 0.99, us * 1.01) if ranked else None
            return Report(verdict, score=score, environment={"gpu": "NVIDIA H200"})

        for user, us in ((owner, 10.0), (teammate, 20.0)):
            handed_in(user)
            services.record(services.claim("w", gpu_models=["NVIDIA H200"]), timed(us))
        rejudging.start(staff, Submission.objects.all(), reason="x", chosen={})
        again = {owner.pk: timed(0, Verdict.WRONG_ANSWER), teammate.pk: timed(20.0)}
        for _ in again:  # runs of one rejudge are claimed in any order
            run = hidden_runs.claim("w", gpu_models=["NVIDIA H200"])
            hidden_runs.record(run, again[run.submission.user_id])
        changes = rank_changes(Rejudge.objects.get())
        assert [(row.username, row.before, row.now) for row in changes] == [
            ("owner", 1, None),
            ("teammate", 2, 1),
        ]


class TestTrial:
    def test_one_solution_runs_without_a_proof(self, ask, workspace):
        answer = ask("solutions/runs", {"file": "plain.cu"})
        run = latest_run(workspace, RunKind.TRIAL)
        assert answer.headers["Location"].endswith(f"/solutions/runs/{run.pk}")
        assert run.wanted == {"files": ["plain.cu"]}
        assert "Waiting for a worker" in ask(f"solutions/runs/{run.pk}").content.decode()
        outcome = ProgramOutcome(
            "solutions/plain.cu",
            Language.CUDA,
            Verdict.ACCEPTED,
            Verdict.COMPILE_ERROR,
            "line 3",
            2.0,
            log="<ptxas>",
            cases={"one-block": Verdict.COMPILE_ERROR},
        )
        proofs.record(proofs.claim("node-1"), to_json(replace(REPORT, outcomes=(outcome,))), holds=False)
        text = ask(f"solutions/runs/{run.pk}").content.decode()
        shown = (
            "1 of 1 unexpected",
            "&lt;ptxas&gt;",
            "Run again",
            "Expected: accepted",
            "<code>one-block</code>",
        )
        for words in shown:
            assert words in text, words
        assert f"/solutions/runs/{run.pk}" in ask("solutions").content.decode()
        assert ask("solutions").content.decode().count("Latest result") == 1
        workspace.refresh_from_db()
        assert workspace.state == "draft"

    def test_all_of_a_language_run(self, ask, workspace):
        ask("solutions/runs", {"language": "triton"})
        files = latest_run(workspace, RunKind.TRIAL).wanted["files"]
        assert "plain.py" in files
        assert all(file.endswith(".py") for file in files)

    def test_saving_and_running_is_one_click(self, ask, workspace):
        sent = {"expected": workspace.revision, "text": "// changed", "run": "1"}
        assert "/solutions/runs/" in ask("solutions/plain.cu", sent).headers["Location"]
        assert latest_run(workspace, RunKind.TRIAL).revision.number == workspace.revision + 1

    def test_what_is_no_solution_does_not_run(self, ask, workspace):
        ask("solutions/runs", {"file": "none.cu"})
        assert "Solution not found" in ask("solutions").content.decode()
        assert latest_run(workspace, RunKind.TRIAL) is None

    def test_it_can_be_cancelled(self, ask, workspace):
        ask("solutions/runs", {"file": "plain.cu"})
        run = latest_run(workspace, RunKind.TRIAL)
        ask(f"solutions/runs/{run.pk}/cancel", {})
        assert "was cancelled" in ask(f"solutions/runs/{run.pk}").content.decode()

    def test_a_proof_is_none(self, ask, workspace):
        proved(ask, REPORT)
        assert ask(f"solutions/runs/{latest_run(workspace).pk}").status_code == 404


class TestMutant:
    @pytest.fixture
    def tried(self, ask, vector_add):
        """Proves with two mutants of a solution, of which one is accepted."""
        source = vector_add["solutions/plain.cu"].decode()
        first, second, *_ = cuda_mutants("plain.cu", source)
        verdicts = (Verdict.ACCEPTED, Verdict.ILLEGAL_ACCESS)
        mutants = tuple(
            MutantOutcome("solutions/plain.cu", m.name, m.original.language, m.line, m.change, verdict)
            for m, verdict in zip((first, second), verdicts, strict=True)
        )
        proved(ask, replace(REPORT, mutants=mutants))
        return mutants

    def test_it_becomes_a_wrong_solution(self, ask, workspace, tried):
        run, mutant = latest_run(workspace), tried[1]
        assert "Make a solution" in ask("proof").content.decode()
        sent = {"expected": workspace.revision, "mutant": f"{mutant.program}:{mutant.name}"}
        location = ask(f"proof/{run.pk}/mutant", sent).headers["Location"]
        file = location.rpartition("/")[2]
        assert file == f"plain-{mutant.name}.cu"
        workspace.refresh_from_db()
        source = queries.read_text(workspace, f"solutions/{file}")
        assert source.startswith("// Wrong: ")
        row = read_solutions(queries.read_text(workspace, "problem.toml"))[-1]
        assert (row.file, row.verdict) == (file, "illegal_access")
        assert folders.load(workspace)
        revision = workspace.revision
        ask(f"proof/{run.pk}/mutant", {**sent, "expected": revision})
        workspace.refresh_from_db()
        assert workspace.revision == revision

    def test_one_that_is_accepted_must_become_wrong(self, ask, workspace, tried):
        sent = {"expected": workspace.revision, "mutant": f"{tried[0].program}:{tried[0].name}"}
        location = ask(f"proof/{latest_run(workspace).pk}/mutant", sent).headers["Location"]
        assert "Add a case that fails it" in ask(location.partition("/my-sum/")[2]).content.decode()
        assert read_solutions(queries.read_text(workspace, "problem.toml"))[-1].verdict == "wrong_answer"

    def test_others_are_refused(self, ask, workspace, tried):
        run = latest_run(workspace)
        for sent in ("solutions/plain.cu:none-1", "reference.py:x", ""):
            assert ask(f"proof/{run.pk}/mutant", {"mutant": sent}).status_code == 302
        workspace.refresh_from_db()
        assert workspace.revision == run.revision.number
