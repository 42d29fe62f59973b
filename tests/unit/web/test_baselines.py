"""Tests baselines: set by staff or submitted by the site, timed by the clock, shown on their boards."""

import re
from io import StringIO

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from judge.report import Report
from problems.archive import pack
from problems.contents import read_folder
from problems.loader import load_problem
from problems.vocabulary import BaselineKind, Language, Verdict
from tests.unit.web.figures import record, timed_report
from web.accounts.models import User
from web.audit.models import AuditEntry
from web.catalog.models import Problem
from web.fleet.models import Gpu, Node
from web.leaderboards import queries
from web.leaderboards.models import Baseline
from web.leaderboards.services import AUTHOR, baseline_author, remove_baseline, set_baseline
from web.packages import services as packages
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db
H200 = "NVIDIA H200"


def labels(problem, gpu=H200):
    return [(row.label, row.score.median_us) for row in queries.baselines(problem, gpu)]


def test_a_label_names_one_row_of_a_board(problem, staff, handed_in):
    reference = BaselineKind.REFERENCE
    first = record(handed_in(staff), timed_report(6.0))
    second = record(handed_in(staff), timed_report(5.0))
    elsewhere = record(handed_in(staff), timed_report(4.0, gpu="NVIDIA B200"))
    for submission in (first, elsewhere, second):
        set_baseline(staff, submission, kind=reference, label="Plain kernel")
    assert labels(problem) == [("Plain kernel", 5.0)]
    assert labels(problem, "NVIDIA B200") == [("Plain kernel", 4.0)]
    set_baseline(staff, second, kind=reference, label="Plainer kernel")
    assert labels(problem) == [("Plainer kernel", 5.0)]


def test_setting_and_removing_is_logged(problem, staff, handed_in):
    submission = record(handed_in(staff), timed_report(6.0))
    made = set_baseline(staff, submission, kind=BaselineKind.VENDOR, label="CUB")
    remove_baseline(staff, made)
    assert labels(problem) == []
    entries = [
        (entry.actor_name, entry.kind, entry.details["label"]) for entry in AuditEntry.objects.order_by("pk")
    ]
    assert entries == [("staff", "baseline.set", "CUB"), ("staff", "baseline.remove", "CUB")]


def test_nobody_can_sign_in_as_the_author_of_baselines(client):
    author = baseline_author()
    assert baseline_author() == author
    assert not author.has_usable_password()
    assert not author.is_active
    form = {"username": AUTHOR, "password1": "correct horse battery"}
    page = client.post("/accounts/signup/", form).content.decode()
    assert "Use letters a to z" in page


@pytest.fixture
def shipped(db, settings, tmp_path):
    """vector-add as it is shipped, in the catalogue."""
    folder = django_settings.WARPCOURT.problems_dir / "vector-add"
    return packages.publish("vector-add", pack(read_folder(folder)), None).problem


@pytest.fixture
def gpu(db):
    node = Node.objects.create(name="node", heartbeat=timezone.now())
    columns = {"memory_mib": 1, "driver": "1", "cuda": "13.0", "capability": "9.0"}
    return Gpu.objects.create(node=node, uuid="GPU-1", minor=0, model=H200, **columns)


def judge_baselines(*arguments):
    out = StringIO()
    call_command("judgebaselines", *arguments, stdout=out)
    return out.getvalue()


def test_baselines_of_a_package_are_handed_in_and_show_when_judged(shipped, gpu):
    said = judge_baselines("vector-add")
    assert "2 submitted, 0 skipped" in said
    assert labels(shipped) == []
    while claim := services.claim("w", gpu_models=[H200]):
        services.record(claim, timed_report(7.0, problem_version=shipped.version))
    assert labels(shipped) == [("Plain kernel", 7.0), ("Plain program", 7.0)]
    shown = queries.standings(shipped, baseline_author(), gpu=H200)
    assert not shown.rows
    made = Submission.objects.filter(user__username=AUTHOR)
    assert {(row.language, row.gpu_model, row.shared) for row in made} == {
        ("cuda", H200, True),
        ("triton", H200, True),
    }


def test_a_baseline_that_fails_never_shows(shipped, gpu):
    judge_baselines("vector-add")
    while claim := services.claim("w", gpu_models=[H200]):
        services.record(claim, Report(Verdict.WRONG_ANSWER))
    assert labels(shipped) == []


def test_what_was_handed_in_stays_unless_it_is_asked_for_again(shipped, gpu):
    judge_baselines("vector-add")
    assert "0 submitted, 2 skipped" in judge_baselines("vector-add")
    assert "2 submitted, 0 skipped" in judge_baselines("vector-add", "--again")
    assert Baseline.objects.count() == 2


def test_without_a_gpu_no_baseline_is_handed_in(shipped):
    with pytest.raises(CommandError, match="No GPU is in use"):
        judge_baselines()


def test_a_full_queue_ends_the_wait_and_says_how_to_go_on(shipped, gpu, settings, monkeypatch):
    author = baseline_author()
    for _ in range(settings.WARPCOURT.max_in_flight):
        services.submit(author, shipped, language=Language.CUDA, source="x")
    with pytest.raises(CommandError, match="run this command again"):
        judge_baselines("vector-add", "--patience-s", "0")


def test_a_package_that_is_not_loaded_as_it_is_is_refused(shipped, gpu):
    Problem.objects.update(version="old")
    with pytest.raises(CommandError, match="Run loadproblems"):
        judge_baselines("vector-add")
    with pytest.raises(CommandError, match="Problem nothing not found"):
        judge_baselines("nothing")


def test_every_shipped_problem_has_a_reference_in_each_language():
    for description in django_settings.WARPCOURT.problems_dir.glob("*/problem.toml"):
        problem = load_problem(description.parent)
        marked = [s.language for s in problem.solutions if s.baseline is BaselineKind.REFERENCE]
        assert sorted(marked) == sorted(problem.languages), problem.slug


def test_staff_set_and_remove_baselines_on_the_page(problem, owner, staff, handed_in, client):
    submission = record(handed_in(owner), timed_report(6.0))
    client.force_login(staff)
    board, address = "/problems/vector-add/leaderboard", "/problems/vector-add/baselines"
    form = {"submission": submission.public_id, "kind": "reference", "label": "Plain kernel"}
    page = client.post(address, form, follow=True).content.decode()
    assert "Plain kernel is a baseline." in page
    assert re.search(r'class="baseline">.*?Plain kernel <span class="tag">reference', page, re.DOTALL)
    [made] = Baseline.objects.all()
    page = client.post(f"{address}/{made.pk}/remove", follow=True).content.decode()
    assert "is no longer a baseline" in page
    assert "baseline-form" in client.get(board).content.decode()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"submission": "nothing"}, "no submission with this ID"),
        ({"kind": "fast"}, "Select a valid choice"),
        ({"label": " "}, "This field is required"),
    ],
)
def test_what_staff_fill_in_wrong_is_said(problem, staff, handed_in, client, change, complaint):
    submission = record(handed_in(staff), timed_report(6.0))
    client.force_login(staff)
    form = {"submission": submission.public_id, "kind": "vendor", "label": "CUB", **change}
    page = client.post("/problems/vector-add/baselines", form, follow=True).content.decode()
    assert complaint in page
    assert not Baseline.objects.exists()


def test_only_what_was_timed_can_be_a_baseline(problem, staff, handed_in, client):
    submission = record(handed_in(staff), Report(Verdict.ACCEPTED))
    client.force_login(staff)
    form = {"submission": submission.public_id, "kind": "vendor", "label": "CUB"}
    page = client.post("/problems/vector-add/baselines", form, follow=True).content.decode()
    assert "has no score" in page


def test_baselines_are_set_by_staff_alone(problem, owner, staff, handed_in, client):
    submission = record(handed_in(owner), timed_report(6.0))
    made = set_baseline(staff, submission, kind=BaselineKind.VENDOR, label="CUB")
    routes = ("/problems/vector-add/baselines", f"/problems/vector-add/baselines/{made.pk}/remove")
    for route in routes:
        assert client.post(route).status_code == 302
    User.objects.filter(pk=owner.pk).update(is_instructor=True)
    client.force_login(owner)
    for route in routes:
        assert client.post(route).status_code == 403
    assert "baseline-form" not in client.get("/problems/vector-add/leaderboard").content.decode()
    assert Baseline.objects.exists()
