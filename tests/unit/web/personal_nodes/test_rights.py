"""Tests what an owner of a personal node cannot claim or read, whatever the node sends."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from judge.report import (
    Report,
)
from judge.report_json import to_json
from problems.contents import as_folder, read_folder
from problems.loader import load_problem, problems_root
from problems.vocabulary import Mode, Verdict
from tests.unit.web.personal_nodes.nodes import SAID, ANode
from web.accounts.models import Scope, User
from web.accounts.services import issue_token
from web.catalog.models import Problem
from web.jobs.models import JobState, personal_queue
from web.packages.personal import without_secrets
from web.privacy.deletion import delete_account
from web.submissions import services
from web.submissions.models import Job, Progress, Submission
from web.submissions.models import Report as Stored
from web.submissions.services import PersonalNodeUnavailable

pytestmark = pytest.mark.django_db


def test_a_node_gets_nothing_of_another_user(
    owner: User, teammate: User, desk: ANode, run_of, handed_in
) -> None:
    ANode(teammate).claim()
    theirs = run_of(teammate)
    handed_in(teammate)
    handed_in(owner)  # of its owner, but it ranks
    assert desk.claim() is None
    other = ANode(teammate, "laptop").claim()
    assert other is not None
    assert other["id"] == theirs.public_id
    for path, body in (
        ("extend", SAID),
        ("return", {"failed": False}),
        ("report", to_json(Report(Verdict.ACCEPTED))),
    ):
        answer = desk.post(f"runs/{other['id']}/{other['attempt']}/{path}", body)
        assert answer.status_code == 404 or answer.json() == {"hold": "lost"}
    assert Job.objects.get(submission=theirs).state == JobState.LEASED


def test_no_worker_of_the_site_takes_runs_of_personal_nodes(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    assert services.claim("node-1:1", gpu_models=["NVIDIA H200", f"personal.{owner.pk}"]) is None


def test_a_node_cannot_claim_what_ranks(owner: User, desk: ANode, run_of, handed_in) -> None:
    with pytest.raises(PersonalNodeUnavailable, match="judges only runs"):
        run_of(owner, mode=Mode.SUBMIT)
    submission = handed_in(owner)
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=submission.pk).update(personal_node=True)
    ranked = Job.objects.get()
    Job.objects.update(queue=personal_queue(owner.pk))  # as if our own code had queued it there
    assert desk.claim() is None
    assert ranked.submission.personal_node is False
    assert not Progress.objects.filter(solved__isnull=False).exists()


def test_keys_and_tokens_do_not_open_each_others_doors(owner: User, desk: ANode) -> None:
    _, secret = issue_token(owner, name="cli", scope=Scope.AUTHOR, lifetime=timedelta(days=1))
    assert desk.post("claim", SAID, key=secret).status_code == 401
    assert desk.post("claim", SAID, key="wcn_wrong").status_code == 401
    key = desk.settings["WARPCOURT_NODE_KEY"]
    assert Client().get("/api/v1/submissions", headers={"Authorization": f"Bearer {key}"}).status_code == 401
    owner.is_active = False
    owner.save()
    assert desk.post("claim", SAID).status_code == 401


def test_a_node_acts_only_on_what_it_holds_itself(owner: User, desk: ANode, run_of) -> None:
    run_of(owner)
    run = desk.claim()
    assert run is not None
    laptop = ANode(owner, "laptop")
    assert laptop.report(run, Report(Verdict.ACCEPTED)).status_code == 404
    delete_account(owner)
    assert desk.report(run, Report(Verdict.ACCEPTED)).status_code == 401


@pytest.mark.parametrize("slug", ["layer-norm", "softmax", "vector-add"])
def test_the_public_part_has_no_hidden_case_and_no_solution(slug: str) -> None:
    folder = problems_root() / slug
    whole, public = load_problem(folder), without_secrets(read_folder(folder))
    with as_folder(public) as copy:
        cases = [case for case in load_problem(copy).cases if case.public]
    assert cases == [case for case in whole.cases if case.public]
    assert public.files.keys() <= {
        "problem.toml",
        "reference.py",
        "checker.py",
        "statement.md",
        "solutions/stand-in.cu",
    }
    text = public.files["problem.toml"].decode()
    for case in whole.cases:
        assert case.public or f'"{case.name}"' not in text
    for solution in whole.solutions:
        assert solution.path.name not in text
        assert solution.note not in text


def test_a_problem_that_no_longer_allows_it_is_not_given(owner: User, desk: ANode, run_of) -> None:
    submission = run_of(owner)
    Problem.objects.update(on_personal_nodes=False)
    assert desk.claim() is None
    assert "no longer allows" in Stored.objects.get(submission=submission).message
    with pytest.raises(PersonalNodeUnavailable, match="does not allow runs on personal nodes"):
        run_of(owner)
