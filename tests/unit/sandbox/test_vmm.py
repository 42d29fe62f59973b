"""Tests the errors of device memory on a machine without a device."""

import ctypes

import pytest

from sandbox.runner import vmm


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ctypes.CDLL:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    vmm._driver.cache_clear()
    with pytest.raises(vmm.DriverMissing, match=r"libcuda\.so\.1 cannot be loaded"):
        vmm.Device.open()
    vmm._driver.cache_clear()


@pytest.mark.parametrize(
    ("code", "lost"),
    [
        *((code, False) for code in (2, 801, 805)),
        *((code, True) for code in (46, 201, 214, 220, 226, 700, 719, 721, 810, 999)),
    ],
)
def test_an_error_says_what_and_whether_the_context_is_lost(code: int, lost: bool) -> None:
    error = vmm.CudaError(code, "CUDA_ERROR_NAME", "some text", "cuMemCreate")
    assert str(error) == f"cuMemCreate: CUDA_ERROR_NAME ({code}): some text"
    assert error.context_lost is lost


@pytest.mark.parametrize(("code", "lost"), [(999, False), (1, False), (700, True)])
def test_a_descriptor_of_no_memory_costs_no_context(code: int, lost: bool) -> None:
    error = vmm.CudaError(code, "CUDA_ERROR_NAME", "some text", "cuMemImportFromShareableHandle")
    assert error.context_lost is lost


def test_structures_have_the_sizes_of_cuda_h() -> None:
    assert ctypes.sizeof(vmm._Properties) == 32
    assert ctypes.sizeof(vmm._Access) == 12
