"""Tests the node service with fake GPUs: it keeps MPS running, quarantines unhealthy GPUs, and reports."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import OperationalError

from judge.clock.calibration import MEASURES, Calibration, store
from judge.gpu.settings import NodeSettings
from sandbox.gpu.fake_nvml import HEALTHY, FakeNvml, fake_gpu
from sandbox.gpu.health import HealthResult, Quarantine
from sandbox.gpu.lease import Leases, Share
from sandbox.gpu.mps import Mps
from sandbox.gpu.nvml import GpuInfo, MemoryErrors
from tests.unit.web.observability.counting import counted
from web.config import ROOT
from web.fleet import orders
from web.fleet.models import Gpu, Node
from web.fleet.models import Health as Column
from worker.node import gpu_health_monitor, inventory
from worker.node.assembly import NoNode, open_service
from worker.node.engine import open_engine
from worker.node.gpu_health_monitor import GpuHealthMonitor
from worker.node.service import Host, NodeService

GPU = fake_gpu()


class MonitoredGpu:
    """A GPU, its monitor, and what the check of it will find."""

    def __init__(self, directory: Path, mps: Mps | None = None) -> None:
        self.nvml = FakeNvml([GPU])
        self.leases = Leases(directory)
        self.quarantine = Quarantine(directory)
        self.found = HealthResult()
        self.checks: list[list[Share]] = []
        self.monitor = GpuHealthMonitor(
            GPU.uuid,
            nvml=self.nvml,
            mps=mps,
            leases=self.leases,
            quarantine=self.quarantine,
            check=self.check,
        )

    def check(self, uuid: str, *, nvml: object, mps: object) -> HealthResult:
        self.checks.append([holder.share for holder in self.leases.holders(uuid)])
        return self.found

    def maintain(self) -> None:
        self.monitor.maintain(lambda: False)

    def retry_now(self) -> None:
        """Let the quarantine's pause be over."""
        path = next((self.quarantine._directory).glob("*"))
        mark = self.quarantine.mark(GPU.uuid)
        path.write_text(path.read_text().replace(str(mark.retry_at), "0"))


@pytest.fixture
def monitored(tmp_path: Path) -> MonitoredGpu:
    return MonitoredGpu(tmp_path)


@pytest.fixture
def mps(short_path: Path, control_program: str) -> Iterator[Mps]:
    made = Mps(GPU.uuid, 0, short_path, binary=control_program)
    yield made
    made.stop()


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_gpu_is_believed_only_after_it_has_computed_something(monitored: MonitoredGpu) -> None:
    monitored.maintain()
    monitored.maintain()
    assert monitored.checks == [[Share.CHECK]], "once, beside others"
    assert monitored.quarantine.marks() == ()


def test_a_sick_gpu_is_taken_out_and_comes_back_when_it_is_well(monitored: MonitoredGpu) -> None:
    monitored.found = HealthResult("it hangs")
    monitored.maintain()
    assert monitored.quarantine.quarantined() == {GPU.uuid: "it hangs"}
    monitored.maintain()
    assert len(monitored.checks) == 1, "not before its pause is over"
    monitored.retry_now()
    monitored.maintain()
    assert monitored.checks[1:] == [[Share.RANK]], "alone"
    assert monitored.quarantine.mark(GPU.uuid).failures == 2
    monitored.found = HealthResult()
    monitored.retry_now()
    monitored.maintain()
    assert monitored.quarantine.marks() == ()


def test_what_nvml_reports_is_enough_to_take_it_out(monitored: MonitoredGpu) -> None:
    monitored.maintain()
    monitored.nvml.errors[GPU.uuid] = MemoryErrors(uncorrected=1)
    monitored.maintain()
    assert "uncorrected" in monitored.quarantine.quarantined()[GPU.uuid]


def test_a_judges_mark_is_honoured(monitored: MonitoredGpu) -> None:
    monitored.quarantine.quarantine(GPU.uuid, "a kernel would not end", by="judge")
    monitored.maintain()
    assert monitored.checks == []
    assert monitored.monitor.status().reason == "a kernel would not end"


def test_stopping_ends_the_wait_for_a_lease(monitored: MonitoredGpu) -> None:
    monitored.quarantine.quarantine(GPU.uuid, "it hangs", by="judge")
    monitored.retry_now()
    with monitored.leases.acquire(GPU.uuid, Share.CHECK):
        monitored.monitor.maintain(lambda: True)
    assert monitored.checks == []
    assert monitored.quarantine.marks()


def test_status_counts_leases(monitored: MonitoredGpu) -> None:
    monitored.nvml.samples[GPU.uuid] = replace(HEALTHY, temperature_c=55)
    with monitored.leases.acquire(GPU.uuid, Share.CHECK), monitored.leases.acquire(GPU.uuid, Share.CHECK):
        status = monitored.monitor.status()
    assert (status.checking, status.ranking, status.waiting, status.temperature_c) == (2, False, 0, 55)


def test_nothing_is_asked_of_a_gpu_while_somebody_ranks(monitored: MonitoredGpu) -> None:
    with monitored.leases.acquire(GPU.uuid, Share.RANK):
        monitored.nvml.lost.add(GPU.uuid)
        monitored.maintain()
        assert monitored.monitor.status().ranking
    assert monitored.checks == []
    assert monitored.quarantine.marks() == ()
    monitored.maintain()
    assert monitored.quarantine.marks()


def test_mps_is_brought_up_and_again_after_its_death(tmp_path: Path, mps: Mps) -> None:
    monitored = MonitoredGpu(tmp_path, mps)
    monitored.maintain()
    assert mps.healthy()
    os.kill(int((mps.pipe_directory / "nvidia-cuda-mps-control.pid").read_text()), signal.SIGKILL)
    until(lambda: not mps.healthy())
    monitored.maintain()
    assert mps.healthy()
    assert monitored.quarantine.marks() == ()


def test_a_fault_is_waited_out_then_mps_restarted_then_the_gpu_taken_out(
    tmp_path: Path, mps: Mps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitored = MonitoredGpu(tmp_path, mps)
    monitored.maintain()
    server = mps.servers()[0].pid
    (mps.log_directory / "faulted").touch()
    monitored.maintain()
    assert mps.servers()[0].pid == server, "faults pass by themselves"
    monkeypatch.setattr(gpu_health_monitor, "FAULT_PATIENCE_S", 0.0)
    with counted(f'mps_restarts_total{{gpu="{GPU.uuid}"}}') as restarts:
        for _ in range(2):
            monitored.maintain()
            assert mps.healthy(), "started anew"
            (mps.log_directory / "faulted").touch()
    assert restarts.change == 2
    with counted(f'gpu_quarantines_total{{gpu="{GPU.uuid}"}}') as quarantines:
        monitored.maintain()
    assert quarantines.change == 1
    assert "MPS faults again after 2 restarts" in monitored.quarantine.quarantined()[GPU.uuid]
    monitored.retry_now()
    monitored.maintain()
    assert mps.healthy()
    assert monitored.quarantine.marks() == ()


@pytest.mark.usefixtures("control_program")
def test_without_mps_on_a_host_that_wants_it_the_gpu_is_out(tmp_path: Path, short_path: Path) -> None:
    monitored = MonitoredGpu(tmp_path, Mps(GPU.uuid, 0, short_path, binary="no-such-program"))
    monitored.maintain()
    assert "WARPCOURT_MPS=no" in monitored.quarantine.quarantined()[GPU.uuid]


def test_mps_is_stopped_at_the_end_unless_somebody_uses_it(tmp_path: Path, mps: Mps) -> None:
    monitored = MonitoredGpu(tmp_path, mps)
    monitored.maintain()
    (mps.log_directory / "clients").write_text("4711")
    monitored.monitor.stop()
    assert mps.healthy()
    (mps.log_directory / "clients").write_text("")
    monitored.monitor.stop()
    assert not mps.healthy()


class House:
    """A node service with fake GPUs, in a thread."""

    def __init__(self, directory: Path, *gpus: GpuInfo) -> None:
        self.nvml = FakeNvml(gpus)
        self.reaped = 0
        self.measured: dict[str, float] = {}
        self.leases, self.quarantine = Leases(directory), Quarantine(directory)
        host = Host(
            "node-1",
            gpus=self.nvml.gpus,
            versions=lambda gpus: {"driver": gpus[0].driver if gpus else "none"},
            reap=self.reap,
            calibration=lambda gpu: self.measured,
        )
        self.service = NodeService(host, directory, self.keep, heartbeat_s=0.02, tend_s=0.01)
        self.thread = threading.Thread(target=self.service.run, daemon=True)

    def keep(self, gpu: GpuInfo) -> GpuHealthMonitor:
        return GpuHealthMonitor(
            gpu.uuid,
            nvml=self.nvml,
            mps=None,
            leases=self.leases,
            quarantine=self.quarantine,
            check=lambda uuid, nvml, mps: HealthResult(),
        )

    def reap(self) -> int:
        self.reaped += 1
        return 1

    def stop(self) -> None:
        self.service.ask_to_stop()
        self.thread.join(10)
        assert not self.thread.is_alive()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path, GPU, fake_gpu(1))
    yield made
    made.service.ask_to_stop()
    if made.thread.ident:
        made.thread.join(10)


def column(name: str, **row: object) -> object:
    return Gpu.objects.filter(**row).values_list(name, flat=True).first()


@pytest.mark.django_db(transaction=True)
def test_the_service_says_what_keeps_it_from_reporting(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no heartbeat yet" in house.service.trouble
    house.service.report()
    assert house.service.trouble == ""
    monkeypatch.setattr("worker.node.service.services.record_heartbeat", _no_answer)
    with counted("heartbeats_failed_total") as failed:
        house.service.report()
    assert failed.change == 1
    until(lambda: "no heartbeat for" in house.service.trouble)
    house.service.ask_to_stop()
    assert "stopping" in house.service.trouble


def _no_answer(*_: object, **__: object) -> bool:
    raise OperationalError("the database is away")


@pytest.mark.django_db(transaction=True)
def test_the_service_reports_what_it_has_and_says_goodbye(house: House) -> None:
    house.thread.start()
    until(lambda: Gpu.objects.filter(health=Column.WELL).count() == 2)
    house.quarantine.quarantine(GPU.uuid, "it hangs", by="judge")
    until(lambda: column("health", uuid=GPU.uuid) == Column.QUARANTINED)
    house.quarantine.clear(GPU.uuid)
    until(lambda: column("health", uuid=GPU.uuid) == Column.WELL)
    assert house.reaped == 1
    until(lambda: house.service.trouble == "")  # a busy machine may be late with one heartbeat
    house.measured = {"memory_gb_per_s": 3987.2}
    until(lambda: column("calibration", uuid=GPU.uuid) == house.measured)
    house.stop()
    assert Node.objects.get().state == "stopped"


@pytest.mark.django_db(transaction=True)
def test_the_service_says_all_again_when_it_was_forgotten(house: House) -> None:
    house.thread.start()
    until(lambda: Gpu.objects.count() == 2)
    Node.objects.all().delete()
    until(lambda: Gpu.objects.count() == 2)
    house.nvml.infos.pop()
    until(lambda: Gpu.objects.filter(health=Column.MISSING).exists())
    house.stop()


@pytest.mark.django_db(transaction=True)
def test_a_host_whose_driver_is_gone_is_troubled(house: House) -> None:
    house.thread.start()
    until(lambda: Gpu.objects.count() == 2)
    house.nvml.unavailable = "the driver was updated while loaded; reboot the host"
    until(lambda: Node.objects.filter(state="troubled", message__contains="reboot").exists())
    house.stop()


@pytest.mark.django_db(transaction=True)
def test_a_second_service_waits_for_the_first_to_go(house: House, tmp_path: Path) -> None:
    second = House(tmp_path, GPU)
    house.thread.start()
    until(Node.objects.exists)
    second.thread.start()
    time.sleep(0.1)
    assert not second.service._monitors
    house.stop()
    until(lambda: second.service._monitors)
    second.stop()


def test_versions_name_what_judges_here() -> None:
    found = inventory.versions([GPU], engine="Docker 27.1")
    assert (found["driver"], found["cuda"], found["containers"]) == ("580.159.03", "13.0", "Docker 27.1")
    assert found["warpcourt"]
    assert "nvcc" in found
    assert inventory.node_name()


def test_the_service_ends_while_it_waits_for_another(tmp_path: Path) -> None:
    first, second = House(tmp_path), House(tmp_path)
    with (tmp_path / "node.lock").open("w") as duty:
        assert first.service._take_duty(duty)
        second.thread.start()
        second.stop()


def test_a_service_is_put_together_as_the_judges_are(short_path: Path) -> None:
    settings = NodeSettings(runtime_dir=short_path, gpus=(GPU.uuid,))
    made = open_service(settings, short_path, reap=lambda: 0, nvml=FakeNvml([GPU, fake_gpu(1)]))
    assert [gpu.uuid for gpu in made._host.gpus()] == [GPU.uuid]
    assert made._monitor(GPU)._mps.pipe_directory == Mps(GPU.uuid, 0, short_path).pipe_directory
    sliced = open_service(NodeSettings(mps=False), short_path, reap=lambda: 0, nvml=FakeNvml([GPU]))
    assert sliced._monitor(GPU)._mps is None


@pytest.mark.parametrize(
    ("nvml", "reason"),
    [
        (FakeNvml([], unavailable="no NVIDIA driver here"), "no NVIDIA driver"),
        (FakeNvml([fake_gpu(5)]), "WARPCOURT_GPUS"),
    ],
)
def test_without_gpus_there_is_no_service(short_path: Path, nvml: FakeNvml, reason: str) -> None:
    with pytest.raises(NoNode, match=reason):
        open_service(NodeSettings(gpus=(GPU.uuid,)), short_path, reap=lambda: 0, nvml=nvml)


def test_without_containers_there_is_nothing_to_reap() -> None:
    engine = open_engine("bubblewrap")
    assert (engine.version, engine.reap()) == ("", 0)


def test_the_program_ends_with_the_reason_on_a_host_without_gpus(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "worker.node"],
        cwd=ROOT,
        env=os.environ | {"WARPCOURT_DATA_DIR": str(tmp_path), "WARPCOURT_GPUS": "GPU-none"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "nvidia-ml-py" in done.stderr or "driver" in done.stderr


def test_a_calibration_is_shown_in_units_for_people(tmp_path: Path) -> None:
    assert inventory.calibration(GPU, tmp_path) == {}
    rates = dict.fromkeys(MEASURES, 60.04e12)
    store(tmp_path, Calibration(GPU.uuid, GPU.driver, 3.9872e12, rates, 50 << 20))
    found = inventory.calibration(GPU, tmp_path)
    assert (found["memory_gb_per_s"], found["float32_tflop_per_s"], found["l2_mib"]) == (3987.2, 60.0, 50)
    assert inventory.calibration(fake_gpu(driver="590.1"), tmp_path) == {}


@pytest.mark.django_db(transaction=True)
def test_the_service_holds_what_staff_hold_and_probes_what_they_release(house: House) -> None:
    house.thread.start()
    until(lambda: Gpu.objects.filter(health=Column.WELL).count() == 2)
    orders.hold(None, Gpu.objects.get(uuid=GPU.uuid), reason="it hums")
    until(lambda: column("health", uuid=GPU.uuid) == Column.QUARANTINED)
    assert column("reason", uuid=GPU.uuid) == "it hums"
    orders.release(None, Gpu.objects.get(uuid=GPU.uuid))
    until(lambda: column("health", uuid=GPU.uuid) == Column.WELL)
    assert house.quarantine.marks() == ()
    house.stop()
