"""A base class in the style of the format, written for these tests."""

from abc import ABC, abstractmethod


class RandTensor:
    def __init__(self, shape, low=0.0, high=1.0, dtype="float32"):
        self.shape, self.low, self.high, self.dtype = tuple(shape), low, high, dtype


class RandnTensor:
    def __init__(self, shape, mean=0.0, std=1.0, dtype="float32"):
        self.shape, self.mean, self.std, self.dtype = tuple(shape), mean, std, dtype


class RandIntTensor:
    def __init__(self, shape, low, high, dtype="int32"):
        self.shape, self.low, self.high, self.dtype = tuple(shape), low, high, dtype


class FullTensor:
    def __init__(self, shape, value=0.0, dtype="float32"):
        self.shape, self.value, self.dtype = tuple(shape), value, dtype


class OutTensor:
    def __init__(self, shape, dtype="float32"):
        self.shape, self.dtype = tuple(shape), dtype


class ChallengeBase(ABC):
    def __init__(self, name="", atol=0.0, rtol=0.0, num_gpus=1, access_tier="free", device="cuda"):
        self.device = device
        if name:
            self.name, self.atol, self.rtol = name, atol, rtol
            self.num_gpus, self.access_tier = num_gpus, access_tier

    @abstractmethod
    def reference_impl(self, *args, **kwargs): ...

    @abstractmethod
    def get_solve_signature(self): ...

    @abstractmethod
    def generate_example_test(self): ...

    @abstractmethod
    def generate_functional_test(self): ...

    @abstractmethod
    def generate_performance_test(self): ...
