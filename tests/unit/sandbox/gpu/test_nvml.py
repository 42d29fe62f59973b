"""Tests typed values from NVML's answers, with a fake of nvidia-ml-py."""

from types import SimpleNamespace

import pytest

from sandbox.gpu.fake_nvml import FakeNvml, fake_gpu
from sandbox.gpu.nvml import (
    ComputeMode,
    DriverNvml,
    GpuLost,
    GpuProcess,
    MemoryErrors,
    NvmlUnavailable,
    Throttle,
    decode_throttle,
)

GIB = 1 << 30
CODES = {
    "NOT_SUPPORTED": 3,
    "NO_PERMISSION": 4,
    "NOT_FOUND": 6,
    "DRIVER_NOT_LOADED": 9,
    "LIBRARY_NOT_FOUND": 12,
    "FUNCTION_NOT_FOUND": 13,
    "GPU_IS_LOST": 15,
    "RESET_REQUIRED": 16,
    "LIB_RM_VERSION_MISMATCH": 18,
    "NO_DATA": 21,
    "UNKNOWN": 999,
}


class Error(Exception):
    def __init__(self, value: int) -> None:
        super().__init__(f"NVML error {value}")
        self.value = value


def fails(name: str):
    def call(*_: object) -> None:
        raise Error(CODES[name])

    return call


def process(pid: int, used: int | None) -> SimpleNamespace:
    return SimpleNamespace(pid=pid, usedGpuMemory=used)


def library(**other: object) -> SimpleNamespace:
    """An H200 as nvidia-ml-py shows it."""
    plain = {f"NVML_ERROR_{name}": code for name, code in CODES.items()} | {
        "NVMLError": Error,
        "NVML_CLOCK_SM": 1,
        "NVML_CLOCK_MEM": 2,
        "NVML_TEMPERATURE_GPU": 0,
        "NVML_MEMORY_ERROR_TYPE_UNCORRECTED": 1,
        "NVML_VOLATILE_ECC": 0,
        "nvmlInit": lambda: None,
        "nvmlSystemGetDriverVersion": lambda: "580.159.03",
        "nvmlSystemGetCudaDriverVersion_v2": lambda: 13020,
        "nvmlDeviceGetCount": lambda: 1,
        "nvmlDeviceGetHandleByIndex": lambda n: n,
        "nvmlDeviceGetHandleByUUID": lambda uuid: 0,
        "nvmlDeviceGetUUID": lambda _: "GPU-1",
        "nvmlDeviceGetMinorNumber": lambda _: 3,
        "nvmlDeviceGetName": lambda _: "NVIDIA H200",
        "nvmlDeviceGetMemoryInfo": lambda _: SimpleNamespace(total=140 * GIB, free=139 * GIB),
        "nvmlDeviceGetCudaComputeCapability": lambda _: (9, 0),
        "nvmlDeviceGetComputeMode": lambda _: 3,
        "nvmlDeviceGetMaxClockInfo": lambda _, kind: {1: 1980, 2: 3201}[kind],
        "nvmlDeviceGetPersistenceMode": lambda _: 1,
        "nvmlDeviceGetEccMode": lambda _: [1, 1],
        "nvmlDeviceGetMigMode": fails("NOT_SUPPORTED"),
        "nvmlDeviceGetClockInfo": lambda _, kind: {1: 1755, 2: 3201}[kind],
        "nvmlDeviceGetTemperature": lambda *_: 40,
        "nvmlDeviceGetPowerUsage": lambda _: 123456,
        "nvmlDeviceGetCurrentClocksEventReasons": lambda _: 0x44,
        "nvmlDeviceGetComputeRunningProcesses": lambda _: [process(7, 3 * GIB), process(5, None)],
        "nvmlDeviceGetMPSComputeRunningProcesses": lambda _: [process(7, 2 * GIB)],
        "nvmlDeviceGetRemappedRows": lambda _: (4, 1, 1, 0),
        "nvmlDeviceGetTotalEccErrors": lambda *_: 2,
        "nvmlDeviceGetRetiredPagesPendingStatus": fails("NOT_SUPPORTED"),
    }
    return SimpleNamespace(**plain | other)


def test_an_inventory() -> None:
    (gpu,) = DriverNvml(library()).gpus()
    assert (gpu.uuid, gpu.minor, gpu.model, gpu.memory_mib) == ("GPU-1", 3, "NVIDIA H200", 140 * 1024)
    assert (gpu.driver, gpu.cuda, gpu.capability, gpu.architecture) == (
        "580.159.03",
        (13, 2),
        (9, 0),
        "sm_90",
    )
    assert (gpu.sm_mhz, gpu.memory_mhz, gpu.ecc, gpu.mig) == (1980, 3201, True, False)
    assert gpu.compute_mode is ComputeMode.EXCLUSIVE_PROCESS


def test_a_sample() -> None:
    sample = DriverNvml(library()).sample("GPU-1")
    assert (sample.sm_mhz, sample.memory_mhz, sample.temperature_c) == (1755, 3201, 40)
    assert sample.power_w == pytest.approx(123.456)
    assert sample.free_mib == 139 * 1024
    assert sample.throttle == (Throttle.POWER_CAP, Throttle.HARDWARE_THERMAL)
    assert sample.processes == (GpuProcess(5, None), GpuProcess(7, 2048, mps=True))


def test_memory_errors() -> None:
    assert DriverNvml(library()).memory_errors("GPU-1") == MemoryErrors(2, remap_pending=True)


def test_what_a_gpu_does_not_report_is_none() -> None:
    silent = library(
        nvmlDeviceGetPowerUsage=fails("NOT_SUPPORTED"), nvmlDeviceGetEccMode=fails("NO_PERMISSION")
    )
    assert DriverNvml(silent).sample("GPU-1").power_w is None
    assert DriverNvml(silent).gpus()[0].ecc is None


def test_trouble_says_what_to_do() -> None:
    for name, kind, words in (
        ("DRIVER_NOT_LOADED", NvmlUnavailable, "no NVIDIA driver here"),
        ("LIB_RM_VERSION_MISMATCH", NvmlUnavailable, "reboot the host"),
        ("RESET_REQUIRED", GpuLost, "look for Xid"),
    ):
        with pytest.raises(kind, match=words):
            DriverNvml(library(nvmlInit=fails(name)))


def test_a_gpu_that_fell_off_the_bus_is_lost() -> None:
    with pytest.raises(GpuLost):
        DriverNvml(library(nvmlDeviceGetMemoryInfo=fails("GPU_IS_LOST"))).sample("GPU-1")


def test_throttle_reasons_are_words() -> None:
    assert decode_throttle(0) == ()
    assert [str(reason) for reason in decode_throttle(0b1_1000_1001)] == [
        "idle",
        "hardware slowdown",
        "power brake",
        "display clocks",
    ]
    assert decode_throttle(1 << 40) == ()


def test_the_fake_can_be_out_of_order() -> None:
    gpu = fake_gpu(2, memory_mib=1)
    assert FakeNvml([gpu]).gpus() == (gpu,)
    with pytest.raises(GpuLost):
        FakeNvml([gpu]).sample("GPU-other")
    with pytest.raises(NvmlUnavailable, match="no driver"):
        FakeNvml([], unavailable="no driver").gpus()
