"""Tests that PyTorch code can ask for the device of functional mode."""

import torch

from sandbox.runner.torch_host import place_on_host


def test_code_can_ask_for_the_properties_of_its_device() -> None:
    before = torch.cuda.get_device_properties
    with place_on_host():
        found = torch.cuda.get_device_properties("cuda")
        assert (found.major, found.minor) == torch.cuda.get_device_capability() == (8, 0)
        assert found.multi_processor_count == 8
        assert found.name == torch.cuda.get_device_name(0)
        torch.cuda.set_device(0)
        with torch.cuda.device(0):
            assert torch.cuda.mem_get_info()[1] == found.total_memory
    assert torch.cuda.get_device_properties is before
