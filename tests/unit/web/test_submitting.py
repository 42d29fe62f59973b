"""Tests the actions of users: submit, cancel, rejudge."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from sandbox.gpu.fake_nvml import fake_gpu
from tests.conftest import new_problem
from web.fleet import services as fleet
from web.fleet.models import Node
from web.fleet.services import GpuStatus
from web.jobs.models import JobState
from web.submissions import queries, services
from web.submissions.models import Event, Job, Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def commits(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


def test_a_submission_gets_a_job_and_a_first_event_and_wakes_a_worker_once(
    owner, handed_in, wakeups, commits
):
    with commits():
        submission = handed_in(owner)
        assert wakeups == []  # not before the commit: the worker would find nothing
    assert wakeups == ["cpu"]
    assert submission.job.state == JobState.QUEUED
    assert submission.job.attempt == 0
    assert [event.kind for event in submission.events.all()] == ["queued"]


def test_public_ids_are_long_and_do_not_follow_from_each_other(owner, handed_in):
    ids = {handed_in(owner).public_id for _ in range(3)}
    assert len(ids) == 3
    assert all(len(public_id) == 12 and public_id.isalnum() for public_id in ids)


def test_line_ends_are_made_plain(owner, handed_in):
    assert handed_in(owner, source="a\r\nb\r\n").source == "a\nb\n"


@pytest.mark.parametrize(
    "source", ["", " \n\t", "a\0b", "\ud800", "x" * (64 * 1024 + 1), "é" * (32 * 1024 + 1)]
)
def test_a_source_must_be_text_of_bounded_size(owner, handed_in, source):
    with pytest.raises(services.SourceUnacceptable):
        handed_in(owner, source=source)
    assert not Submission.objects.exists()


def test_a_source_of_just_the_limit_is_taken(owner, handed_in):
    assert handed_in(owner, source="x" * 64 * 1024)


def test_a_language_that_the_problem_lacks_is_refused(owner):
    problem = new_problem("cuda-only", starters={"cuda": ""})
    with pytest.raises(services.LanguageUnavailable, match="takes cuda"):
        services.submit(owner, problem, language=Language.TRITON, source="x")


def test_sizes_are_for_runs_and_name_the_problems_sizes(owner, handed_in):
    assert handed_in(owner, mode=Mode.RUN, sizes={"n": 100}).sizes == {"n": 100}
    for sizes in ({"m": 1}, {"n": 0}, {"n": -5}, {"n": 2**31}, {"n": 1, "m": 1}):
        with pytest.raises(services.SizesUnacceptable):
            handed_in(owner, mode=Mode.RUN, sizes=sizes)
    with pytest.raises(services.SizesUnacceptable, match="only for runs"):
        handed_in(owner, mode=Mode.SUBMIT, sizes={"n": 100})


def test_a_size_beyond_the_problems_limit_is_refused(owner):
    problem = new_problem("limited")
    problem.limits |= {"sizes": {"n": 4096}}
    problem.save()
    services.submit(owner, problem, language=Language.CUDA, source="x", mode=Mode.RUN, sizes={"n": 4096})
    with pytest.raises(services.SizesUnacceptable, match="size n must be from 1 to 4096, not 5000"):
        services.submit(owner, problem, language=Language.CUDA, source="x", mode=Mode.RUN, sizes={"n": 5000})


SIGNATURE = [
    {"name": "a", "role": "in", "dtype": "float32", "shape": ["n"], "value": None, "values": None},
    {"name": "keys", "role": "in", "dtype": "int32", "shape": ["n"], "value": None, "values": None},
    {"name": "c", "role": "out", "dtype": "float32", "shape": ["n"], "value": None, "values": None},
    {"name": "n", "role": "scalar", "dtype": "int32", "shape": [], "value": "n", "values": None},
    {"name": "alpha", "role": "scalar", "dtype": "float32", "shape": [], "value": "0.5", "values": None},
]


@pytest.fixture
def run_with(owner):
    problem = new_problem("values", signature=SIGNATURE)

    def run(values, *, mode=Mode.RUN, **more):
        return services.submit(
            owner, problem, language=Language.CUDA, source="x", mode=mode, values=values, **more
        )

    return run


def test_values_are_stored_and_determine_a_size(run_with):
    submission = run_with({"a": "1 -inf nan", "alpha": 2})
    assert submission.sizes == {"n": 3}
    assert submission.values == {"a": [1.0, "-inf", "nan"], "alpha": [2.0]}
    assert run_with({}, sizes={"n": 3}).values is None
    assert Submission.objects.get(pk=submission.pk).values == submission.values


@pytest.mark.parametrize(
    ("values", "sizes", "words"),
    [
        ({"a": "1 2"}, {"n": 3}, "a: 2 values are given, but its shape with n = 3 is 3"),
        ({"a": "1 x"}, None, "a: value 2, x, is not a float32 number"),
        ({"b": "1"}, None, "b is not an argument"),
        ({"keys": "1"}, None, "they may be indices"),
        ({"n": "1"}, {"n": 1}, "n follows from the sizes"),
        ({"alpha": "1"}, None, "Enter the size n"),
        ({"a": "1 " * 1025}, None, "at most 1024 can be"),
    ],
)
def test_values_that_do_not_fit_are_refused_with_the_place(run_with, values, sizes, words):
    with pytest.raises(services.SubmissionRefused) as refused:
        run_with(values, sizes=sizes)
    assert words in str(refused.value)
    assert not Submission.objects.exists()


def test_values_are_for_runs_and_may_be_turned_off(run_with, settings):
    with pytest.raises(services.ValuesUnacceptable, match="only for runs"):
        run_with({"a": "1"}, mode=Mode.SUBMIT)
    settings.WARPCOURT = replace(settings.WARPCOURT, max_custom_values=0)
    with pytest.raises(services.ValuesUnacceptable, match="does not accept custom values"):
        run_with({"a": "1"})


def test_a_key_with_other_values_is_another_request(run_with):
    first = run_with({"a": "1 2"}, idempotency_key="k")
    assert run_with({"a": [1, 2]}, idempotency_key="k") == first
    with pytest.raises(services.KeyReused):
        run_with({"a": "1 3"}, idempotency_key="k")


def test_an_older_signature_offers_no_scalars(owner):
    rows = [{key: row[key] for key in ("name", "role", "dtype", "shape")} for row in SIGNATURE]
    problem = new_problem("older", signature=rows)
    assert [argument.name for argument in problem.custom_arguments] == ["a"]


def test_seeds_are_for_runs_and_have_63_bits(owner, handed_in):
    assert handed_in(owner, mode=Mode.RUN, seed=0).seed == 0
    assert handed_in(owner, mode=Mode.RUN, seed=2**63 - 1).seed == 2**63 - 1
    for seed in (-1, 2**63):
        with pytest.raises(services.SeedUnacceptable, match="from 0 to"):
            handed_in(owner, mode=Mode.RUN, seed=seed)
    with pytest.raises(services.SeedUnacceptable, match="only for runs"):
        handed_in(owner, mode=Mode.SUBMIT, seed=1)


def test_only_a_gpu_that_is_in_use_may_be_asked_for(owner, handed_in, live_gpus):
    with pytest.raises(services.GpuNotOffered, match="No GPU is available"):
        handed_in(owner, gpu_model="NVIDIA H200")
    node = live_gpus("NVIDIA H200", "NVIDIA B200")
    assert handed_in(owner, gpu_model="NVIDIA H200").gpu_model == "NVIDIA H200"
    assert handed_in(owner).gpu_model == ""
    with pytest.raises(services.GpuNotOffered, match="GPUs: NVIDIA B200, NVIDIA H200"):
        handed_in(owner, gpu_model="NVIDIA H300")
    fleet.record_heartbeat(node.name, [GpuStatus(fake_gpu(0).uuid, "it hangs")])
    with pytest.raises(services.GpuNotOffered, match=r"GPUs: NVIDIA B200\."):
        handed_in(owner, gpu_model="NVIDIA H200")
    Node.objects.update(heartbeat=timezone.now() - timedelta(minutes=5))
    with pytest.raises(services.GpuNotOffered):
        handed_in(owner, gpu_model="NVIDIA B200")


def test_only_runs_of_cuda_programs_on_a_gpu_are_profiled(owner, handed_in, live_gpus):
    wanted = {"mode": Mode.RUN, "profiled": True}
    with pytest.raises(services.ProfileUnavailable, match="No GPU of this site"):
        handed_in(owner, **wanted)
    live_gpus("NVIDIA H200")
    assert handed_in(owner, **wanted).profiled
    with pytest.raises(services.ProfileUnavailable, match="Only CUDA"):
        handed_in(owner, **wanted, language=Language.TRITON)
    with pytest.raises(services.ProfileUnavailable, match="Only runs"):
        handed_in(owner, profiled=True)


def test_a_user_may_profile_a_bounded_number_of_runs_in_an_hour(
    owner, teammate, handed_in, live_gpus, settings
):
    live_gpus("NVIDIA H200")
    settings.WARPCOURT = replace(settings.WARPCOURT, profiles_per_hour=1)
    handed_in(owner, mode=Mode.RUN, profiled=True)
    with pytest.raises(services.LimitReached, match="profiled 1 runs"):
        handed_in(owner, mode=Mode.RUN, profiled=True)
    assert handed_in(owner, mode=Mode.RUN)
    assert handed_in(teammate, mode=Mode.RUN, profiled=True)


def test_a_user_may_have_a_bounded_number_unfinished(owner, teammate, handed_in, settings):
    in_flight = [handed_in(owner) for _ in range(settings.WARPCOURT.max_in_flight)]
    with pytest.raises(services.LimitReached, match="in progress"):
        handed_in(owner)
    handed_in(teammate)
    services.cancel(in_flight[0])
    assert handed_in(owner)


def test_a_user_may_make_a_bounded_number_in_a_minute(owner, handed_in, settings):
    for _ in range(settings.WARPCOURT.submits_per_minute):
        services.cancel(handed_in(owner))
    with pytest.raises(services.LimitReached, match="in the last minute"):
        handed_in(owner)


def test_a_repeated_key_gives_the_same_submission(owner, teammate, handed_in, wakeups, commits):
    with commits():
        first = handed_in(owner, idempotency_key="k")
        assert handed_in(owner, idempotency_key="k") == first
        assert handed_in(teammate, idempotency_key="k") != first
    assert len(wakeups) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"source": "another"},
        {"mode": Mode.SUBMIT},
        {"sizes": {"n": 7}},
        {"seed": 2},
        {"profiled": True},
        {"gpu_model": "another"},
    ],
)
def test_a_key_cannot_be_used_for_another_request(owner, handed_in, other):
    handed_in(owner, mode=Mode.RUN, idempotency_key="k")
    assert handed_in(owner, mode=Mode.RUN, idempotency_key="k")
    with pytest.raises(services.KeyReused):
        handed_in(owner, **{"mode": Mode.RUN, **other}, idempotency_key="k")


def test_a_queued_submission_is_cancelled_at_once(owner, handed_in):
    submission = handed_in(owner)
    assert services.cancel(submission)
    assert verdict_of(submission) == "cancelled"
    assert services.claim("worker") is None
    assert not services.cancel(submission)


def test_a_submission_in_progress_is_cancelled_by_its_worker(owner, handed_in, django_assert_num_queries):
    submission = handed_in(owner)
    claim = services.claim("worker")
    with django_assert_num_queries(1):
        assert services.extend_lease(claim) is services.Hold.HELD
    assert services.cancel(submission)
    assert services.extend_lease(claim) is services.Hold.CANCELLED
    assert verdict_of(submission) is None


def test_a_cancelled_submission_keeps_its_lease_until_its_worker_ends_it(owner, handed_in):
    submission = handed_in(owner)
    claim = services.claim("worker")
    services.cancel(submission)
    before = Job.objects.get().lease_until
    assert services.extend_lease(claim) is services.Hold.CANCELLED
    assert Job.objects.get().lease_until > before


def test_judging_again_drops_the_report_and_keeps_the_journal(owner, handed_in):
    submission = handed_in(owner)
    assert not services.rejudge(submission)
    services.record(services.claim("worker"), Report(Verdict.INTERNAL_ERROR))
    assert services.rejudge(submission)
    assert verdict_of(submission) is None
    claim = services.claim("worker")
    assert (claim.attempt, claim.tries) == (2, 1)
    services.record(claim, Report(Verdict.ACCEPTED))
    assert verdict_of(submission) == "accepted"
    kinds = list(Event.objects.values_list("kind", flat=True))
    assert kinds == ["queued", "claimed", "finished", "queued", "claimed", "finished"]


@pytest.mark.parametrize(
    "columns",
    [{"state": "lost"}, {"state": "leased"}, {"state": "queued", "lease_until": "2030-01-01T00:00Z"}],
)
def test_the_database_refuses_a_state_that_means_nothing(owner, handed_in, columns):
    handed_in(owner)
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.update(**columns)


def verdict_of(submission: Submission) -> str | None:
    return queries.verdict_of(Submission.objects.get(pk=submission.pk))


def test_a_problem_for_some_models_goes_to_one_of_them(owner, problem, handed_in, live_gpus):
    problem.limits = {**problem.limits, "gpus": ["h200", "H300"]}
    problem.save(update_fields=["limits"])
    assert handed_in(owner).gpu_model == ""  # without a GPU it is tried on the CPU
    live_gpus("NVIDIA B200")
    with pytest.raises(services.GpuNotOffered, match=r"judged on h200 or H300\. None of them"):
        handed_in(owner)
    live_gpus("NVIDIA H200", name="node-2")
    assert handed_in(owner).gpu_model == "NVIDIA H200"
    with pytest.raises(services.GpuNotOffered, match="GPUs: NVIDIA H200"):
        handed_in(owner, gpu_model="NVIDIA B200")


def test_what_is_judged_again_goes_to_a_model_that_its_problem_has_now(owner, problem, handed_in, live_gpus):
    live_gpus("NVIDIA B200")
    live_gpus("NVIDIA H200", name="node-2")
    submission = handed_in(owner)
    services.record(services.claim("worker", gpu_models=["NVIDIA B200"]), Report(Verdict.ACCEPTED))
    problem.limits = {**problem.limits, "gpus": ["H200"]}
    problem.save(update_fields=["limits"])
    submission.refresh_from_db()
    assert services.rejudge(submission)
    submission.refresh_from_db()
    assert submission.gpu_model == "NVIDIA H200"
    assert services.claim("worker", gpu_models=["NVIDIA B200"]) is None
    assert services.claim("other", gpu_models=["NVIDIA H200"]) is not None


def test_a_problem_for_several_gpus_goes_to_a_node_that_has_them(owner, problem, handed_in, live_gpus):
    problem.limits = {**problem.limits, "gpu_count": 2}
    problem.save(update_fields=["limits"])
    assert handed_in(owner).gpu_model == ""  # without a GPU it is tried on the CPU
    live_gpus("NVIDIA H200")
    fleet.record_inventory("node-2", {}, [fake_gpu(7, model="NVIDIA H200")])  # one each is not enough
    with pytest.raises(services.GpuNotOffered, match=r"judged on 2 GPUs of one node\. No node has them\."):
        handed_in(owner)
    fleet.record_inventory("node-3", {}, [fake_gpu(n, model="NVIDIA B200") for n in (8, 9)])
    assert handed_in(owner).gpu_model == "NVIDIA B200"
    with pytest.raises(services.GpuNotOffered, match="Nodes with 2 of them: NVIDIA B200"):
        handed_in(owner, gpu_model="NVIDIA H200")


def test_a_submission_that_no_node_can_judge_is_cancelled_and_not_an_error(
    owner, problem, handed_in, live_gpus
):
    problem.limits = {**problem.limits, "gpu_count": 2}
    problem.save(update_fields=["limits"])
    live_gpus("NVIDIA B200", "NVIDIA B200")
    submission = handed_in(owner)
    lost = services.claim("node-1:7", gpu_models=["NVIDIA B200"])
    assert services.return_to_queue(lost, failed=False, missing="2 GPUs of one model")
    assert services.queue.sweep(hosts=lambda _: ["node-1"]).concluded == 1
    assert verdict_of(submission) == "cancelled"
    message = Submission.objects.get(pk=submission.pk).report.message
    assert "No node can judge this: the problem needs 2 GPUs of one node" in message
