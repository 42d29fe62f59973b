"""The `rng` that a problem's `generate` draws from: the same methods over NumPy and over CuPy.

NumPy's generators have many more methods, and CuPy's have almost none. A problem that is proved on a CPU must
also run on a GPU, so both backends offer only these common methods.
"""

from abc import ABC, abstractmethod
from typing import Any, NoReturn

import numpy as np

from sandbox.runner.contract import Array, ContractError

Size = int | tuple[int, ...] | None
_METHODS = "random, uniform, standard_normal, normal, integers"


class Generator(ABC):
    """Random numbers from a seed. `size` is a number, a shape, or None for a single value.

    The numbers of a seed differ between NumPy and CuPy.
    """

    @abstractmethod
    def random(self, size: Size = None, dtype: Any = np.float64) -> Array:
        """Uniform in [0, 1), in float64 or float32."""

    @abstractmethod
    def standard_normal(self, size: Size = None, dtype: Any = np.float64) -> Array:
        """Normal with mean 0 and deviation 1, in float64 or float32."""

    @abstractmethod
    def integers(
        self,
        low: int,
        high: int | None = None,
        size: Size = None,
        dtype: Any = np.int64,
        *,
        endpoint: bool = False,
    ) -> Array:
        """Integers from `low` to below `high`, or from 0 to below `low`; `endpoint` includes the end."""

    @abstractmethod
    def uniform(self, low: float = 0.0, high: float = 1.0, size: Size = None) -> Array:
        """Uniform in [low, high), in float64."""

    @abstractmethod
    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Size = None) -> Array:
        """Normal with mean `loc` and deviation `scale`, in float64."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ContractError(f"rng.{name} is not available on every target; use {_METHODS}")


class HostGenerator(Generator):
    """Over NumPy's PCG64."""

    def __init__(self, seed: int) -> None:
        self._numpy = np.random.Generator(np.random.PCG64(seed))

    def random(self, size: Size = None, dtype: Any = np.float64) -> Array:
        """See Generator."""
        return self._numpy.random(size, dtype)

    def standard_normal(self, size: Size = None, dtype: Any = np.float64) -> Array:
        """See Generator."""
        return self._numpy.standard_normal(size, dtype)

    def integers(
        self,
        low: int,
        high: int | None = None,
        size: Size = None,
        dtype: Any = np.int64,
        *,
        endpoint: bool = False,
    ) -> Array:
        """See Generator."""
        return self._numpy.integers(low, high, size, dtype, endpoint=endpoint)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Size = None) -> Array:
        """See Generator."""
        return self._numpy.uniform(low, high, size)

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Size = None) -> Array:
        """See Generator."""
        return self._numpy.normal(loc, scale, size)
