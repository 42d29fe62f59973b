"""Tests the queue of a job, its urgency, the order among users, and the number of jobs per user."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from web.accounts.models import User
from web.fleet.models import Gpu, Node
from web.jobs.fair_share import move_up
from web.site.broker import broker_queues
from web.submissions import services
from web.submissions.models import Job, Priority, Submission
from web.submissions.queues import queue_for, served_by
from web.submissions.services import routing
from web.tracks.models import Track

pytestmark = pytest.mark.django_db
H200, B200 = "NVIDIA H200", "NVIDIA B200"


@pytest.fixture(autouse=True)
def _many_in_flight(settings) -> None:
    settings.WARPCOURT = replace(settings.WARPCOURT, max_in_flight=20)


@pytest.fixture
def commits(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


def job_of(submission: Submission) -> Job:
    return Job.objects.get(submission=submission)


def age(submission: Submission, **by: float) -> None:
    Job.objects.filter(submission=submission).update(queued=timezone.now() - timedelta(**by))


def test_a_queue_is_a_class_of_hardware(live_gpus):
    assert queue_for("") == "cpu"
    assert queue_for(H200) == "gpu.nvidia-h200"
    live_gpus(H200)
    assert queue_for("") == "gpu"


def test_a_worker_serves_what_its_hardware_can_judge():
    assert served_by(()) == ("cpu",)
    assert served_by([H200, B200, H200]) == ("gpu.nvidia-h200", "gpu.nvidia-b200", "gpu", "cpu")


def test_the_longest_name_of_a_model_fits_into_the_column():
    longest = Gpu._meta.get_field("model").max_length
    assert len(queue_for("x" * longest)) <= Job._meta.get_field("queue").max_length


def test_a_worker_listens_where_the_site_rings():
    names = [(queue.name, queue.exchange.name, queue.routing_key) for queue in broker_queues(["gpu", "cpu"])]
    assert names == [("judge.gpu",) * 3, ("judge.cpu",) * 3]


def test_what_asks_for_nothing_goes_to_gpus_where_there_are_some(owner, handed_in, live_gpus):
    anywhere = handed_in(owner)
    live_gpus(H200)
    ranked = handed_in(owner)
    assert [job_of(each).queue for each in (anywhere, ranked)] == ["cpu", "gpu"]
    assert services.claim("cpu").submission == anywhere
    assert services.claim("cpu") is None
    assert services.claim("gpu", gpu_models=[B200]).submission == ranked


def test_a_worker_takes_the_most_urgent_of_its_queues(owner, teammate, handed_in, live_gpus):
    on_cpu = handed_in(owner)
    live_gpus(H200)
    on_model = handed_in(teammate, gpu_model=H200)
    urgent = handed_in(owner, mode=Mode.RUN)
    claims = [services.claim("w", gpu_models=[H200]).submission for _ in range(3)]
    assert claims == [urgent, on_cpu, on_model]


def test_contests_go_before_runs_and_rejudges_after_all(owner, teammate, staff, handed_in, contest, commits):
    old = handed_in(owner)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    Track.objects.update(published=False)
    plain = handed_in(owner)
    run = handed_in(teammate, mode=Mode.RUN)
    Track.objects.update(published=True)
    in_contest = handed_in(staff)
    services.rejudge(old)
    assert [services.claim("w").submission for _ in range(4)] == [in_contest, run, plain, old]
    assert [job_of(each).priority for each in (in_contest, run, plain, old)] == [
        Priority.CONTEST,
        Priority.RUN,
        Priority.SUBMIT,
        Priority.REJUDGE,
    ]


@pytest.mark.parametrize(("starts_h", "ends_h", "urgent"), [(-1, 1, True), (1, 2, False), (-2, -1, False)])
def test_a_contest_is_one_while_it_lasts(owner, handed_in, contest, starts_h, ends_h, urgent):
    now = timezone.now()
    Track.objects.update(
        contest_starts=now + timedelta(hours=starts_h), contest_ends=now + timedelta(hours=ends_h)
    )
    assert (job_of(handed_in(owner)).priority == Priority.CONTEST) is urgent


def test_other_problems_and_runs_are_no_part_of_a_contest(owner, contest):
    other = new_problem("other")
    for problem, mode in ((other, Mode.SUBMIT), (contest.problems.get(), Mode.RUN)):
        made = services.submit(owner, problem, language=Language.CUDA, source="x", mode=mode)
        assert job_of(made).priority < Priority.CONTEST


def test_everybodys_first_goes_before_anybodys_second(owner, teammate, staff, handed_in):
    crowd = [handed_in(owner) for _ in range(3)]
    two = [handed_in(teammate) for _ in range(2)]
    one = handed_in(staff)
    claims = [services.claim("w").submission for _ in range(6)]
    assert claims == [crowd[0], two[0], one, crowd[1], two[1], crowd[2]]


def test_what_is_judged_counts_as_a_turn(owner, teammate, handed_in):
    handed_in(owner)
    services.claim("w")
    second, first = handed_in(owner), handed_in(teammate)
    assert [services.claim("w").submission for _ in range(2)] == [first, second]


def test_who_comes_one_at_a_time_overtakes_nobody_for_ever(owner, teammate, handed_in, commits):
    first, second = handed_in(owner), handed_in(owner)
    claim = services.claim("w")
    assert claim.submission == first
    later = handed_in(teammate)
    with commits():
        services.record(claim, Report(Verdict.ACCEPTED))
    assert job_of(second).fair_share_rank == 0
    assert services.claim("w").submission == second, "it was handed in before"
    assert services.claim("w").submission == later


def test_cancelling_moves_up_those_behind(owner, handed_in, commits):
    made = [handed_in(owner) for _ in range(4)]
    with commits():
        services.cancel(made[1])
    assert [job_of(each).fair_share_rank for each in made if each != made[1]] == [0, 1, 2]


def test_a_move_that_was_lost_is_made_good_by_the_next(owner, handed_in):
    made = [handed_in(owner) for _ in range(4)]
    services.cancel(made[0])  # in a transaction that is never committed here: nothing moves up
    services.cancel(made[1])
    move_up(Job.objects.filter(user=owner))
    assert [job_of(each).fair_share_rank for each in made[2:]] == [0, 1]


def test_moving_up_costs_those_who_wait_for_nothing_one_query(owner, handed_in, django_assert_num_queries):
    submission = handed_in(owner)
    with django_assert_num_queries(1):
        move_up(Job.objects.filter(user=submission.user))


def test_rejudges_take_no_turn_and_are_not_unfinished(owner, handed_in, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, max_in_flight=1)
    old = handed_in(owner)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    services.rejudge(old)
    assert job_of(old).fair_share_rank == 0
    assert job_of(handed_in(owner)).fair_share_rank == 0


def test_a_rejudge_goes_where_the_hardware_is_now(owner, handed_in, live_gpus, wakeups):
    old = handed_in(owner)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    live_gpus(H200)
    services.rejudge(old)
    assert job_of(old).queue == "gpu"


def test_a_user_may_make_a_bounded_number_in_a_day(owner, teammate, handed_in, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, submits_per_day=3)
    for _ in range(3):
        handed_in(owner)
    Submission.objects.update(created=timezone.now() - timedelta(hours=20))
    with pytest.raises(services.LimitReached, match=r"in the last day.* again in [34].hours"):
        handed_in(owner)
    assert handed_in(teammate), "another's are another's"
    Submission.objects.update(created=timezone.now() - timedelta(hours=25))
    assert handed_in(owner)


def test_what_waits_for_any_gpu_goes_elsewhere_when_none_comes_back(owner, handed_in, live_gpus):
    live_gpus(H200)
    patient, asking, recent = handed_in(owner), handed_in(owner, gpu_model=H200), handed_in(owner)
    for submission in (patient, asking):
        age(submission, minutes=11)
    assert routing.route() == 0, "there is one"
    Node.objects.update(heartbeat=timezone.now() - timedelta(minutes=5))
    assert routing.route() == 1
    assert [job_of(each).queue for each in (patient, asking, recent)] == ["cpu", "gpu.nvidia-h200", "gpu"]


def test_a_users_jobs_go_with_the_user(owner, teammate, handed_in):
    handed_in(owner)
    kept = handed_in(teammate)
    User.objects.filter(pk=owner.pk).delete()
    assert Job.objects.get().submission == kept
