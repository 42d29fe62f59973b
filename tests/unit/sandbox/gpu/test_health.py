"""Tests health checks of GPUs with fake parts, and quarantine marks."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.gpu import health
from sandbox.gpu.fake_nvml import HEALTHY, FakeNvml, fake_gpu
from sandbox.gpu.health import Quarantine
from sandbox.gpu.mps import Mps
from sandbox.gpu.nvml import MemoryErrors
from sandbox.gpu.probe import ProbeFailed, probe

GPU = fake_gpu()


@pytest.fixture
def nvml() -> FakeNvml:
    return FakeNvml([GPU])


@pytest.fixture
def mps(short_path: Path, control_program: str) -> Iterator[Mps]:
    made = Mps(GPU.uuid, 0, short_path, binary=control_program)
    made.ensure()
    yield made
    made.stop()


def program(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "probe.py"
    path.write_text(text)
    return path


def test_a_gpu_that_reports_nothing_bad_is_well(nvml: FakeNvml, mps: Mps) -> None:
    assert health.look(GPU.uuid, nvml=nvml, mps=None).well
    assert health.look(GPU.uuid, nvml=nvml, mps=mps).well


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        (MemoryErrors(uncorrected=2), "2 uncorrected errors"),
        (MemoryErrors(remap_pending=True), "a reset would retire"),
        (MemoryErrors(retire_pending=True), "a reset would retire"),
        (MemoryErrors(remap_failed=True), "replace the GPU"),
    ],
)
def test_damaged_memory_is_named_with_what_to_do(nvml: FakeNvml, errors: MemoryErrors, reason: str) -> None:
    nvml.errors[GPU.uuid] = errors
    assert reason in health.look(GPU.uuid, nvml=nvml, mps=None).reason


def test_heat_and_loss_are_ill_health(nvml: FakeNvml) -> None:
    nvml.samples[GPU.uuid] = replace(HEALTHY, temperature_c=101)
    assert "101 °C" in health.look(GPU.uuid, nvml=nvml, mps=None).reason
    nvml.lost.add(GPU.uuid)
    assert "GPU is lost" in health.check(GPU.uuid, nvml=nvml, mps=None).reason


def test_mps_that_faulted_or_died_is_ill_health(nvml: FakeNvml, mps: Mps) -> None:
    (mps.log_directory / "faulted").touch()
    assert "has faulted" in health.look(GPU.uuid, nvml=nvml, mps=mps).reason
    mps.stop()
    assert "no MPS daemon is running" in health.check(GPU.uuid, nvml=nvml, mps=mps).reason


def test_a_host_without_a_driver_fails_the_probe_in_words(nvml: FakeNvml) -> None:
    assert (
        "cannot compute on it"
        in health.check("GPU-none", nvml=FakeNvml([fake_gpu(uuid="GPU-none")]), mps=None).reason
    )


WELL = "print('context', flush=True); input(); print('well')"


def test_a_probe_that_computes_passes(tmp_path: Path) -> None:
    probe(GPU.uuid, None, program=program(tmp_path, WELL))


def test_a_probe_sees_one_gpu_and_none_of_our_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPCOURT_SECRET_KEY", "hush")
    text = f"import os; assert os.environ['CUDA_VISIBLE_DEVICES'] == '{GPU.uuid}'\n"
    text += "assert not [name for name in os.environ if 'WARPCOURT' in name]\n"
    probe(GPU.uuid, None, program=program(tmp_path, text + WELL))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise SystemExit('cuInit: error 999')", "cannot compute on it: cuInit: error 999"),
        ("import os; os.kill(os.getpid(), 9)", "it exited without a message"),
        ("print('context', flush=True); input(); raise SystemExit('3 elements are wrong')", "3 elements"),
    ],
)
def test_a_probe_that_fails_says_how(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ProbeFailed, match=reason):
        probe(GPU.uuid, None, program=program(tmp_path, text))


def test_a_probe_that_hangs_is_ended(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(ProbeFailed, match="the GPU hangs"):
        probe(GPU.uuid, None, program=program(tmp_path, "import time; time.sleep(600)"), limit_s=0.5)
    assert time.monotonic() - began < 10


def test_a_probe_beside_mps_is_noticed(tmp_path: Path, mps: Mps) -> None:
    with pytest.raises(ProbeFailed, match="should use MPS bypasses it"):
        probe(GPU.uuid, mps, program=program(tmp_path, WELL))


def test_a_probe_that_is_a_client_passes_and_one_that_hangs_is_terminated_first(
    tmp_path: Path, mps: Mps
) -> None:
    clients = mps.log_directory / "clients"
    joins = f"import os; open('{clients}', 'w').write(str(os.getpid()))\n"
    probe(GPU.uuid, mps, program=program(tmp_path, joins + WELL))
    hangs = joins + "print('context', flush=True); input(); import time; time.sleep(600)"
    with pytest.raises(ProbeFailed, match="the GPU hangs"):
        probe(GPU.uuid, mps, program=program(tmp_path, hangs), limit_s=2)
    assert "terminate_client" in (mps.log_directory / "control.log").read_text()


def test_marks_are_shared_counted_and_cleared(tmp_path: Path) -> None:
    here, there = Quarantine(tmp_path), Quarantine(tmp_path)
    assert here.quarantined() == {}
    first = here.quarantine(GPU.uuid, "it hangs", by="node")
    assert there.quarantined() == {GPU.uuid: "it hangs"}
    again = there.quarantine(GPU.uuid, "it still hangs", by="judge")
    assert (again.failures, again.since) == (2, first.since)
    assert again.retry_at - time.time() > first.retry_at - time.time()
    for _ in range(20):
        again = there.quarantine(GPU.uuid, "it still hangs", by="judge")
    assert again.retry_at - time.time() <= 600
    there.clear(GPU.uuid)
    there.clear(GPU.uuid)
    assert here.marks() == ()


def test_a_mark_that_cannot_be_read_keeps_the_gpu_out(tmp_path: Path) -> None:
    marks = Quarantine(tmp_path)
    (tmp_path / "quarantine" / f"{GPU.uuid}.quarantine").write_text("{")
    assert "cannot be read" in marks.quarantined()[GPU.uuid]
    assert marks.quarantine(GPU.uuid, "it hangs", by="node").failures == 2


def test_a_held_gpu_stays_out_whatever_its_checks_find(tmp_path: Path) -> None:
    quarantine = Quarantine(tmp_path)
    quarantine.hold(GPU.uuid, "it hums")
    mark = quarantine.mark(GPU.uuid)
    assert mark is not None
    assert (mark.reason, mark.by) == ("it hums", "staff")
    assert mark.retry_at > time.time() + 1e9, "nobody probes it"
    quarantine.quarantine(GPU.uuid, "it hangs", by="judge")
    quarantine.clear(GPU.uuid)
    assert quarantine.quarantined() == {GPU.uuid: "it hums"}
    quarantine.hold(GPU.uuid, "it howls")
    assert quarantine.held() == {GPU.uuid: "it howls"}


def test_a_released_gpu_is_probed_before_it_is_used(tmp_path: Path) -> None:
    quarantine = Quarantine(tmp_path)
    quarantine.release(GPU.uuid)
    assert quarantine.marks() == (), "it was not held"
    quarantine.hold(GPU.uuid, "it hums")
    quarantine.release(GPU.uuid)
    mark = quarantine.mark(GPU.uuid)
    assert mark is not None
    assert "it has not passed a check yet" in mark.reason
    assert mark.retry_at <= time.time()
    quarantine.clear(GPU.uuid)
    assert quarantine.mark(GPU.uuid) is None


def test_a_hold_without_words_or_that_cannot_be_read_counts(tmp_path: Path) -> None:
    quarantine = Quarantine(tmp_path)
    (tmp_path / "quarantine" / f"{GPU.uuid}.held").touch()
    assert quarantine.held() == {GPU.uuid: "held"}
    (tmp_path / "quarantine" / "GPU-2.held").mkdir()
    assert "cannot be read" in quarantine.quarantined()["GPU-2"]
