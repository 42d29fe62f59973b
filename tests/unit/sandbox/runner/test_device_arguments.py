"""Tests mapping the arrays of a request, with fake device memory."""

from collections.abc import Iterator

import pytest

from sandbox.runner import vmm
from sandbox.runner.device_arguments import DeviceArguments
from sandbox.wire import WireArgument


class FakeMemory:
    """Stands in for vmm.Allocation; remembers what was mapped."""

    mapped: dict[int, int]

    def __init__(self, descriptor: int, size_bytes: int) -> None:
        self.pointer = descriptor << 32
        self._descriptor = descriptor
        self.mapped[descriptor] = size_bytes

    @classmethod
    def from_descriptor(cls, _device: object, descriptor: int, size_bytes: int) -> "FakeMemory":
        return cls(descriptor, size_bytes)

    def close(self) -> None:
        del self.mapped[self._descriptor]


@pytest.fixture
def arguments(monkeypatch: pytest.MonkeyPatch) -> Iterator[DeviceArguments]:
    FakeMemory.mapped = {}
    monkeypatch.setattr(vmm.Device, "open", classmethod(lambda cls: object()))
    monkeypatch.setattr(vmm, "Allocation", FakeMemory)
    opened = DeviceArguments()
    opened.open()
    yield opened
    opened.release()
    assert FakeMemory.mapped == {}


def array(descriptor: int, offset: int, size_bytes: int, whole_bytes: int = 4096) -> WireArgument:
    return WireArgument("uint8", False, descriptor, offset, size_bytes, whole_bytes, (size_bytes,))


def test_each_descriptor_is_mapped_once_and_whole(arguments: DeviceArguments) -> None:
    wire = [array(0, 256, 100), WireArgument("int32", True, value=3), array(0, 512, 50), array(1, 0, 7, 9)]
    assert arguments.map(wire, [30, 31]) == [(30 << 32) + 256, 0, (30 << 32) + 512, 31 << 32]
    assert FakeMemory.mapped == {30: 4096, 31: 9}


@pytest.mark.parametrize("whole_bytes", [0, 355])
def test_an_array_lies_in_its_memory(arguments: DeviceArguments, whole_bytes: int) -> None:
    with pytest.raises(ValueError, match=f"past the {whole_bytes} bytes"):
        arguments.map([array(0, 256, 100, whole_bytes)], [30])


def test_empty_arrays_map_nothing(arguments: DeviceArguments) -> None:
    assert arguments.map([array(0, 256, 0)], [30]) == [0]
    assert FakeMemory.mapped == {}


def test_arrays_need_a_gpu() -> None:
    with pytest.raises(ValueError, match="before PREPARE"):
        DeviceArguments().map([array(0, 0, 1)], [30])
