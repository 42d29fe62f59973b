"""Device memory that is shared as file descriptors."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.runner import vmm
from tests.gpu.bare import opened_device

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]
MIB = 1 << 20


@pytest.fixture(scope="module")
def device() -> Iterator[vmm.Device]:
    with opened_device() as opened:
        yield opened


def test_an_allocation_holds_what_is_written(device: vmm.Device) -> None:
    with vmm.Allocation.create(device, 5) as memory:
        assert memory.size_bytes == device.granularity_bytes == device.whole(1)
        assert memory.pointer % device.granularity_bytes == 0
        memory.write(b"hello", 7)
        assert memory.read(6, 7) == b"hello\0"
        memory.scrub()
        device.synchronize()
        assert memory.read(5, 7) == bytes(5)
        with pytest.raises(ValueError, match="of"):
            memory.read(1, memory.size_bytes)
    memory.close()


def test_a_second_mapping_shows_the_same_bytes(device: vmm.Device) -> None:
    with vmm.Allocation.create(device, 4 * MIB) as memory:
        descriptor = memory.export()
        with vmm.Allocation.from_descriptor(device, descriptor, 4 * MIB) as other:
            assert other.pointer != memory.pointer
            other.write(b"seen", 3 * MIB)
            device.synchronize()
            assert memory.read(4, 3 * MIB) == b"seen"
        os.close(descriptor)


def test_memory_is_mapped_whole_or_not_at_all(device: vmm.Device) -> None:
    """So its size is sent with it. A refusal has no side effects."""
    with vmm.Allocation.create(device, 3 * device.granularity_bytes) as memory:
        memory.write(b"near")
        descriptor = memory.export()
        with pytest.raises(vmm.CudaError) as refused:
            vmm.Allocation.from_descriptor(device, descriptor, 4)
        assert refused.value.code == vmm.Code.NOT_SUPPORTED
        assert not refused.value.context_lost
        with vmm.Allocation.from_descriptor(device, descriptor, memory.size_bytes) as whole:
            assert whole.read(4) == b"near"
        os.close(descriptor)


def test_memory_outlives_who_made_it(device: vmm.Device) -> None:
    memory = vmm.Allocation.create(device, MIB)
    memory.write(b"still here")
    descriptor = memory.export()
    memory.close()
    with vmm.Allocation.from_descriptor(device, descriptor, MIB) as other:
        assert other.read(10) == b"still here"
    os.close(descriptor)


def test_another_process_reads_and_writes(device: vmm.Device) -> None:
    program = (
        "import sys\n"
        "from sandbox.runner import vmm\n"
        "device = vmm.Device.open()\n"
        "memory = vmm.Allocation.from_descriptor(device, int(sys.argv[1]), 1 << 20)\n"
        "assert memory.read(4) == b'ping', memory.read(4)\n"
        "memory.write(b'pong')\n"
        "device.synchronize()\n"
        "memory.close()\n"
        "device.close()\n"
    )
    with vmm.Allocation.create(device, MIB) as memory:
        memory.write(b"ping")
        device.synchronize()
        descriptor = memory.export()
        argv = [sys.executable, "-c", program, str(descriptor)]
        subprocess.run(argv, cwd=ROOT, pass_fds=[descriptor], check=True, timeout=60)
        assert memory.read(4) == b"pong"
        os.close(descriptor)


def test_what_is_no_memory_cannot_be_imported(device: vmm.Device) -> None:
    with Path("/dev/null").open() as file, pytest.raises(vmm.CudaError) as refused:
        vmm.Allocation.from_descriptor(device, file.fileno(), MIB)
    assert not refused.value.context_lost
    device.synchronize()


def test_too_much_is_out_of_memory(device: vmm.Device) -> None:
    with pytest.raises(vmm.CudaError, match="CUDA_ERROR_OUT_OF_MEMORY") as refused:
        vmm.Allocation.create(device, 1 << 44)
    assert refused.value.code == vmm.Code.OUT_OF_MEMORY
    assert refused.value.call == "cuMemCreate"


def test_another_thread_makes_the_device_current(device: vmm.Device) -> None:
    seen: list[bytes] = []
    with vmm.Allocation.create(device, MIB) as memory:
        memory.write(b"x")

        def work() -> None:
            device.make_current()
            seen.append(memory.read(1))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen == [b"x"]
