"""Tests how a worker handles failures while it judges a submission."""

from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from judge.errors import OracleFailed
from judge.report import Report, StageTime
from problems.vocabulary import Stage, Verdict
from web.config import Config
from web.site.judging import board_key
from web.submissions.usage import times_of
from worker import judges

GPU_MODELS = ("NVIDIA B200", "NVIDIA H200")


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> judges.PackageJudge:
    """A judge whose references all fail."""

    def fail(*_: object, on_stage: Callable[[StageTime], None], **__: object) -> None:
        on_stage(StageTime(Stage.COMPILE, 2000.0))
        on_stage(StageTime(Stage.CHECK, 60_000.0))
        raise OracleFailed("generating case custom: timed out")

    monkeypatch.setattr(
        judges, "open_configured", lambda *_, **__: SimpleNamespace(metrics={}, gpu_models=GPU_MODELS)
    )
    monkeypatch.setattr(judges, "warm_settings", lambda _: {})
    monkeypatch.setattr(judges, "load_problem", lambda _: SimpleNamespace(slug="slow", version="1"))
    monkeypatch.setattr(judges, "evaluate", fail)
    return judges.PackageJudge(Config(), folder_of=lambda _: Path())


def submission(sizes: dict[str, int] | None) -> SimpleNamespace:
    return SimpleNamespace(
        source="",
        language="cuda",
        mode="run",
        sizes=sizes,
        values=None,
        seed=None,
        gpu_model="",
        profiled=False,
    )


def evaluate(judge: judges.PackageJudge, sizes: dict[str, int] | None) -> Report:
    return judge.evaluate(
        submission(sizes),  # type: ignore[arg-type]
        on_progress=lambda _: None,
        cancelled=Event(),
    )


def test_sizes_of_a_user_that_the_reference_cannot_handle_are_rejected(judge: judges.PackageJudge) -> None:
    assert evaluate(judge, {"n": 1 << 28}).verdict is Verdict.REJECTED


def test_the_time_until_the_reference_failed_is_charged(judge: judges.PackageJudge) -> None:
    report = evaluate(judge, {"n": 1 << 28})
    assert times_of(report) == (60_000, 2000)
    assert report.environment == {"gpu": "NVIDIA B200 or NVIDIA H200", "problem_version": "1"}


def test_without_a_gpu_that_time_is_charged_as_cpu_time(
    judge: judges.PackageJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "_target", SimpleNamespace(metrics={}, gpu_models=()))
    assert times_of(evaluate(judge, {"n": 1 << 28})) == (0, 62_000)


def test_a_reference_that_fails_on_its_own_cases_is_a_failure_of_the_judge(
    judge: judges.PackageJudge,
) -> None:
    with pytest.raises(OracleFailed):
        evaluate(judge, None)


def test_boards_by_score_get_the_contents_of_the_site(
    judge: judges.PackageJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = []

    def note(*_: object, board_key: bytes, **__: object) -> Report:
        keys.append(board_key)
        return Report(Verdict.ACCEPTED)

    monkeypatch.setattr(judges, "evaluate", note)
    joined = Config(board_key="5a" * 32)
    for config in (joined, Config()):
        evaluate(judges.PackageJudge(config, folder_of=lambda _: Path()), None)
    assert keys == [bytes.fromhex("5a" * 32), board_key(Config())]
    assert keys[0] != keys[1]
