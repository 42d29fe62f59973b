"""Tests the stored results of a judgement on a GPU, and who sees which of them."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judge.report import Report, Score
from problems.vocabulary import Verdict
from tests.unit.web.figures import FLOOR_US, PEAK_BYTES_PER_S, SECRET_SIZE, record, timed_report
from web.accounts.services import issue_token
from web.results.assembly import listings_to_show
from web.submissions import queries, services
from web.submissions.models import CaseResult, Event, EventKind, Listing, ListingKind
from web.submissions.models import Report as StoredReport

pytestmark = pytest.mark.django_db


def test_the_columns_say_what_the_report_says(owner, handed_in):
    stored = record(handed_in(owner), timed_report(5.0)).report
    assert (stored.ranked, stored.score_us, stored.score_low_us) == (True, 5.0, 4.95)
    assert (stored.gpu_model, stored.driver, stored.toolkit) == ("NVIDIA H200", "580.159.03", "nvcc 13.0.88")
    assert stored.version == "1"
    assert stored.roofline_percent == pytest.approx(100 * FLOOR_US / 5.0)
    assert list(CaseResult.objects.values_list("median_us", flat=True)) == [None, 2.5, 10.0]


def test_a_program_of_triton_is_stamped_with_triton(owner, handed_in):
    stored = record(handed_in(owner), timed_report(triton="3.6.0")).report
    assert stored.toolkit == "triton 3.6.0"


def test_a_program_of_an_image_is_stamped_with_the_image(owner, handed_in):
    report = timed_report(images="warpcourt:7")
    stamp = {name: word for name, word in report.environment.items() if name != "nvcc"}
    stored = record(handed_in(owner), replace(report, environment=stamp)).report
    assert stored.toolkit == "images warpcourt:7"


def test_without_a_stamped_version_it_is_the_one_handed_in_for(owner, handed_in):
    stored = record(handed_in(owner), Report(Verdict.ACCEPTED)).report
    assert (stored.version, stored.gpu_model, stored.score_us) == ("1", "", None)


def test_a_roofline_that_is_not_known_for_every_case_is_none(owner, handed_in):
    report = timed_report()
    first = replace(report.cases[1], timing=replace(report.cases[1].timing, roofline_percent=None))
    report = replace(report, cases=(report.cases[0], first, report.cases[2]))
    assert record(handed_in(owner), report).report.roofline_percent is None


@pytest.mark.parametrize(
    ("median_us", "low_us", "high_us"), [(5.0, 6.0, 7.0), (5.0, 4.0, 4.5), (0.0, 0.0, 1.0), (5.0, -1.0, 6.0)]
)
def test_a_score_outside_its_interval_is_refused(owner, handed_in, median_us, low_us, high_us):
    handed_in(owner)
    report = replace(timed_report(), score=Score(median_us, low_us, high_us))
    with pytest.raises(IntegrityError), transaction.atomic():
        services.record(services.claim("w"), report)
    assert not StoredReport.objects.exists()


def test_a_score_without_a_stamp_is_refused(owner, handed_in):
    handed_in(owner)
    with pytest.raises(IntegrityError), transaction.atomic():
        services.record(services.claim("w"), timed_report(gpu=""))


def test_listings_are_kept_apart_and_loaded_only_when_asked(owner, handed_in):
    submission = record(handed_in(owner), timed_report())
    assert submission.report.body["listings"] == {}
    with CaptureQueriesContext(connection) as captured:
        kept = queries.listings_of(submission)
        assert [(listing.kind, listing.size_bytes) for listing in kept] == [("ptx", 27), ("sass", 17)]
    assert len(captured) == 1
    assert "packed" not in captured[0]["sql"]
    assert queries.find_listing(submission, ListingKind.PTX).text == ".version 9.0\n// <b>ptx</b>\n"


def test_listings_may_follow_the_verdict(owner, handed_in):
    handed_in(owner)
    job = services.claim("w")
    assert services.record(job, replace(timed_report(), listings={}))
    submission = queries.visible_submissions(owner).get()
    shown = listings_to_show(submission, submission.report.parsed)
    assert [(listing.kind, listing.size_bytes) for listing in shown] == [("ptx", None), ("sass", None)]
    for _ in range(2):  # a repeated write changes nothing
        services.queue.add_listings(job, {"ptx": "// ptx", "sass": ""})
    shown = listings_to_show(submission, submission.report.parsed)
    assert [(listing.kind, listing.size_bytes) for listing in shown] == [("ptx", 6)]
    services.rejudge(submission)
    services.queue.add_listings(job, {"sass": "EXIT"})
    assert not Listing.objects.exists()


def test_listings_that_never_came_are_not_promised(owner, handed_in):
    submission = record(handed_in(owner), replace(timed_report(), listings={}))
    StoredReport.objects.update(finished=timezone.now() - timedelta(minutes=1))
    submission = queries.visible_submissions(owner).get()
    assert listings_to_show(submission, submission.report.parsed) == ()


def test_listings_go_with_their_report(owner, handed_in):
    submission = record(handed_in(owner), timed_report())
    services.rejudge(submission)
    assert not Listing.objects.exists()
    fresh = queries.visible_submissions(owner).get()
    assert queries.listings_of(fresh) == ()
    assert queries.find_listing(fresh, ListingKind.PTX) is None


def test_odd_text_of_a_compiler_is_kept(owner, handed_in):
    report = replace(timed_report(), listings={"ptx": "a\0b\ud800c", "sass": ""})
    submission = record(handed_in(owner), report)
    assert queries.find_listing(submission, ListingKind.PTX).text == "a\0b?c"
    assert queries.find_listing(submission, ListingKind.SASS) is None


@pytest.mark.parametrize("kind", ["disturbed", "waiting", "timing"])
def test_steps_of_a_gpu_can_be_told(owner, handed_in, kind):
    handed_in(owner)
    services.add_event(services.claim("w"), EventKind(kind), {"text": "", "index": 1, "total": 3})
    assert Event.objects.last().kind == kind


def test_times_of_hidden_cases_tell_no_names_and_no_sizes(owner, staff, handed_in):
    submission = record(handed_in(owner), timed_report())
    shown = queries.present_report(submission, owner)
    assert str(SECRET_SIZE) not in str(shown)
    assert str(FLOOR_US) not in str(shown)
    first = shown.cases[1]
    assert (first.name, first.sizes) == ("timed 1", {})
    assert first.timing.median_us == 2.5
    # The floor is a formula over the sizes: a precise percentage would tell it.
    assert first.timing.floor_us is None
    assert first.timing.roofline_percent == round(100 * FLOOR_US / 2.5)
    # So would the intensity, which may depend on the sizes.
    assert (first.timing.placement.intensity, first.timing.placement.bytes_per_s) == (1300, 3.2e12)
    assert first.timing.placement.peak_bytes_per_s == PEAK_BYTES_PER_S
    full = queries.present_report(submission, staff)
    assert full.cases[1].timing.floor_us == FLOOR_US
    assert full.cases[1].timing.placement.intensity == SECRET_SIZE / 6
    assert full.cases[1].sizes == {"n": SECRET_SIZE}


@pytest.fixture
def get(client):
    """Asks the API as a person: `get(owner, "/submissions")`."""

    def ask(user, path: str, status: int = 200):
        _, secret = issue_token(user, name="test")
        answer = client.get(f"/api/v1{path}", headers={"Authorization": f"Bearer {secret}"})
        assert answer.status_code == status, answer.content
        return answer.json()

    return ask


def test_the_api_shows_the_figures(owner, handed_in, get):
    submission = record(handed_in(owner), timed_report(attempts=2))
    shown = get(owner, f"/submissions/{submission.public_id}")
    score = {"median_us": 5.0, "low_us": 4.95, "high_us": 5.05}
    assert shown["score"] == score
    report = shown["report"]
    assert (report["ranked"], report["score"], report["attempts"]) == (True, score, 2)
    assert report["kernels"][0]["registers"] == 24
    assert report["environment"]["driver"] == "580.159.03"
    timing = report["cases"][1]["timing"]
    assert (timing["median_us"], timing["repetitions"], timing["sm_mhz"]) == (2.5, 240, 1980)
    assert get(owner, "/submissions")["submissions"][0]["score"] == score
    assert [listing["kind"] for listing in shown["listings"]] == ["ptx", "sass"]
    assert ".version" not in str(shown)


def test_the_api_gives_listings_to_those_who_may_see_the_submission(
    owner, teammate, staff, handed_in, get, client
):
    submission = record(handed_in(owner), timed_report())
    route = f"/submissions/{submission.public_id}/listings"
    for person in (owner, staff):
        assert get(person, f"{route}/ptx")["text"].startswith(".version 9.0")
    get(teammate, f"{route}/ptx", 404)
    get(owner, f"{route}/elf", 422)
    assert client.get(f"/api/v1{route}/ptx").status_code == 401


def test_the_api_shows_a_board(owner, teammate, handed_in, get):
    record(handed_in(owner), timed_report(5.0, 0.05))
    record(handed_in(teammate), timed_report(5.06, 0.05))
    board = {"gpu": "NVIDIA H200", "language": "cuda", "users": 2, "version": "1"}
    shown = get(owner, "/leaderboards/vector-add?gpu=NVIDIA%20H200&language=cuda")
    assert shown["board"].pop("latest") == shown["boards"][0].pop("latest") == shown["rows"][1]["solved"]
    assert (shown["total"], shown["mine"]["username"], shown["next"]) == (2, "owner", None)
    assert (shown["ranked"], shown["board"], shown["boards"]) == (True, board, [board])
    assert [(row["rank"], row["tied"]) for row in shown["rows"]] == [(1, True), (1, True)]
    assert shown["rows"][0]["score"]["high_us"] == 5.05
    assert get(owner, "/leaderboards/vector-add?gpu=NVIDIA%20B200")["rows"] == []
    get(owner, "/leaderboards/vector-add?language=fortran", 422)


def test_the_api_tells_nothing_of_hidden_timed_cases(owner, handed_in, get):
    submission = record(handed_in(owner), timed_report())
    text = str(get(owner, f"/submissions/{submission.public_id}"))
    assert str(SECRET_SIZE) not in text
    assert str(FLOOR_US) not in text
