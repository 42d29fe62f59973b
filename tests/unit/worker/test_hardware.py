"""Tests which GPUs a worker reports."""

from dataclasses import replace

import pytest

from sandbox.gpu.fake_nvml import FakeNvml, fake_gpu
from web.config import Config
from worker.hardware import NoHardware, gpu_models

CARDS = FakeNvml([fake_gpu(0), fake_gpu(1), fake_gpu(2, model="NVIDIA B200")])


@pytest.fixture
def config() -> Config:
    return replace(Config.from_env({}), target="gpu")


def test_a_worker_without_gpus_asks_no_driver(config):
    assert gpu_models(replace(config, target="cpu"), lambda: pytest.fail("asked")) == ()


def test_each_model_is_named_once(config):
    assert gpu_models(config, lambda: CARDS) == ("NVIDIA B200", "NVIDIA H200")


def test_only_the_chosen_cards_count(config):
    assert gpu_models(replace(config, gpus=(fake_gpu(2).uuid,)), lambda: CARDS) == ("NVIDIA B200",)


def test_a_host_without_the_chosen_cards_says_what_to_do(config):
    with pytest.raises(NoHardware, match="nvidia-smi -L"):
        gpu_models(replace(config, gpus=("GPU-elsewhere",)), lambda: CARDS)


def test_a_driver_that_does_not_answer_is_named(config):
    with pytest.raises(NoHardware, match="no driver here"):
        gpu_models(config, lambda: FakeNvml([], unavailable="no driver here"))
