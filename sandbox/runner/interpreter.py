"""Bounds checks for Triton's interpreter, which otherwise reads and writes raw addresses.

Theory of operation. The interpreter turns each load, store and atomic into one call of a native module with
arrays of addresses and a mask. `CheckedMemory` replaces this module: every unmasked address must lie in the
storage of a tensor of this launch. Otherwise it reports the argument, the element, the program and the line,
and ends the process, as a GPU context would end. On a GPU, such an access may go unnoticed; here it is always
reported. The check helps learners. It is not a protection, since a submission could remove it.

The interpreter runs the programs of a grid in ascending order; `descending` reverses the order. The module
`program_races` finds races between the programs.
"""

import gc
import sys
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import torch
from triton.runtime import interpreter  # type: ignore[import-untyped]

from sandbox.runner.program_races import ProgramRaces, Race, Region
from sandbox.runner.session import Diagnostics, line_of, stop
from sandbox.runner.torch_host import is_host_tensor
from sandbox.wire import ExitStatus

_MAX_LAUNCH_NOTES = 16
_Addresses = npt.NDArray[np.uint64]
_Order = interpreter._interpreter.MEM_SEMANTIC  # noqa: SLF001 - the type of an atomic operation's `sem`
_ACQUIRES = (_Order.ACQUIRE, _Order.ACQUIRE_RELEASE)
_RELEASES = (_Order.RELEASE, _Order.ACQUIRE_RELEASE)
_BYPASSES = ("cg", "cv")  # loads with these cache modifiers see the stores of other multiprocessors


class CheckedMemory:
    """Stands in for Triton's native memory module. Counts launches."""

    def __init__(self, native: Any, filename: str) -> None:
        self._native = native
        self._filename = filename
        self._regions: list[Region] = []
        self._kernel = ""
        self._noted: set[str] = set()
        self._empty: set[str] = set()  # kernels whose empty grid was told
        self.diagnostics: Diagnostics | None = None
        self.launches = 0
        self.descending = False  # run the programs of a grid from the last to the first
        self.races = ProgramRaces(self._read)
        self._raced: set[tuple[str, int | None]] = set()  # kernels and lines
        self._sees_others = False  # the current load is intended to see the stores of other programs
        self._atomic_store = False

    @classmethod
    def install(cls, filename: str) -> "CheckedMemory":
        """Put the checks into the interpreter of this process."""
        memory = cls(interpreter._interpreter, filename)  # noqa: SLF001 - the one seam there is
        interpreter._interpreter = memory  # noqa: SLF001
        launch = interpreter.GridExecutor.__call__

        def checked(executor: Any, *arguments: Any, **named: Any) -> Any:
            memory.enter(executor.fn.__name__, dict(zip(executor.arg_names, arguments, strict=False)) | named)
            # Tensors are on the host, whatever `torch_host` says.
            with torch._C.DisableTorchFunction():  # noqa: SLF001 - torch.overrides has no public one
                launch(executor, *arguments, **named)
            memory.note_empty_grid(tuple(interpreter.interpreter_builder.grid_dim))

        interpreter.GridExecutor.__call__ = checked
        memory._watch(interpreter.InterpreterBuilder)
        return memory

    @property
    def kernel(self) -> str:
        """The kernel that was launched last."""
        return self._kernel

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def _watch(self, builder: Any) -> None:
        """Change `builder` to report when a program starts and which accesses are volatile or atomic."""
        place, load, store = builder.set_grid_idx, builder.create_masked_load, builder.create_atomic_store

        def placed(made: Any, *at: int) -> None:
            if self.descending:
                at = tuple(size - 1 - index for size, index in zip(made.grid_dim, at, strict=True))
            place(made, *at)
            self.races.start_program(at)

        def loading(made: Any, ptrs: Any, mask: Any, other: Any, cache_policy: Any, is_volatile: bool) -> Any:
            self._sees_others = is_volatile or cache_policy in _BYPASSES
            try:
                return load(made, ptrs, mask, other, cache_policy, is_volatile)
            finally:
                self._sees_others = False

        def storing(made: Any, *arguments: Any) -> Any:
            self._atomic_store = True
            try:
                return store(made, *arguments)
            finally:
                self._atomic_store = False

        builder.set_grid_idx = placed
        builder.get_cache_policy = lambda _builder, modifier, _eviction: modifier  # else None; only we use it
        builder.create_masked_load = loading
        builder.create_atomic_store = storing

    def enter(self, kernel: str, arguments: dict[str, Any]) -> None:
        """Note a launch of `kernel` and the tensors that it may touch.

        Raises:
            ValueError: a GPU cannot access a tensor.
        """
        for name, value in arguments.items():
            if isinstance(value, torch.Tensor) and is_host_tensor(value):
                raise ValueError(
                    f"Kernel {kernel}: the argument {name} is a tensor in host memory, which a GPU cannot "
                    'access. Create it with device="cuda", or with the device of another tensor.'
                )
        self.launches += 1
        self._kernel = kernel
        self.races.start_launch()
        self._regions = [region for name, value in arguments.items() for region in _regions(name, value)]
        if (
            self.diagnostics is not None
            and kernel not in self._noted
            and len(self._noted) < _MAX_LAUNCH_NOTES
        ):
            self._noted.add(kernel)
            self.diagnostics.say("note", "launch", f"Kernel {kernel} was launched.", kernel=kernel)

    def note_empty_grid(self, grid: tuple[int, ...]) -> None:
        """Tell of a launch without programs, which a GPU skips too."""
        if (
            self.diagnostics is not None
            and 0 in grid
            and self._kernel not in self._empty
            and len(self._empty) < _MAX_LAUNCH_NOTES
        ):
            self._empty.add(self._kernel)
            message = (
                f"Kernel {self._kernel} was launched with grid {grid}, so no program ran. "
                "Is a size 0, or a division rounded down? Use triton.cdiv(n, BLOCK)."
            )
            line = self._line()
            self.diagnostics.say("note", "no_kernel", message, kernel=self._kernel, line=line)

    def load(self, addresses: _Addresses, mask: Any, other: Any, dtype: Any) -> Any:
        """Read through `addresses` where `mask` is set."""
        mask = _as_mask(mask)
        region, active = self._check(addresses, mask, np.dtype(dtype).itemsize, "reads")
        values = self._native.load(addresses, mask, other, dtype)
        if found := self.races.load(region, active, values.itemsize, polls=self._sees_others):
            race, raced, stale = found
            if stale is not None:
                selected = np.zeros(addresses.shape, bool)
                selected[np.broadcast_to(mask, addresses.shape)] = raced
                values[selected] = stale.view(values.dtype)
            if not self._sees_others:
                self._tell_race(race, region)
        return values

    def store(self, addresses: _Addresses, value: Any, mask: Any) -> Any:
        """Write through `addresses` where `mask` is set."""
        mask = _as_mask(mask)
        region, active = self._check(addresses, mask, value.itemsize, "writes")
        if self._atomic_store:
            self._update(region, active, acquires=False, releases=True)
        elif self.races.watching and active.size:
            self.races.store(region, active, value.itemsize, self._line())
        return self._native.store(addresses, value, mask)

    def atomic_rmw(self, operation: Any, addresses: _Addresses, value: Any, mask: Any, order: Any) -> Any:
        """Update through `addresses` where `mask` is set."""
        mask = _as_mask(mask)
        region, active = self._check(addresses, mask, value.itemsize, "updates")
        self._update(region, active, acquires=order in _ACQUIRES, releases=order in _RELEASES)
        return self._native.atomic_rmw(operation, addresses, value, mask, order)

    def atomic_cas(self, addresses: _Addresses, compare: Any, value: Any, order: Any) -> Any:
        """Compare and swap through `addresses`."""
        region, active = self._check(addresses, True, value.itemsize, "updates")
        self._update(region, active, acquires=order in _ACQUIRES, releases=order in _RELEASES)
        return self._native.atomic_cas(addresses, compare, value, order)

    def _update(self, region: Region | None, active: _Addresses, *, acquires: bool, releases: bool) -> None:
        self.races.synchronise(acquires=acquires, releases=releases)
        self.races.update(region, active)

    def _read(self, addresses: _Addresses, dtype: Any) -> Any:
        everywhere = np.ones(addresses.shape, bool)
        return self._native.load(addresses, everywhere, np.zeros(addresses.shape, dtype), dtype)

    def _line(self) -> int | None:
        return line_of(sys._getframe(), self._filename)  # noqa: SLF001 - documented, despite its name

    def _check(
        self, addresses: _Addresses, mask: Any, size: int, verb: str
    ) -> tuple[Region | None, _Addresses]:
        """Return the region of the active addresses, if there is exactly one, and these addresses."""
        active = addresses[np.broadcast_to(mask, addresses.shape)]
        if active.size == 0:
            return None, active
        low, high = int(active.min()), int(active.max()) + size
        for region in self._regions:
            if region.start <= low and high <= region.end:
                return region, active
        while (outside := active[~self._inside(active, size)]).size:
            found = _tensor_at(int(outside[0]), size)
            if found is None:
                self._refuse(int(outside[0]), size, verb)
            self._regions.append(found)  # tensors live at least as long as the launch
            if found.start <= low and high <= found.end:
                return found, active
        return None, active

    def _inside(self, active: _Addresses, size: int) -> npt.NDArray[np.bool_]:
        inside = np.zeros(active.shape, bool)
        for region in self._regions:
            inside |= (active >= region.start) & (active + np.uint64(size) <= region.end)
        return inside

    def _tell_race(self, race: Race, region: Region | None) -> None:
        line = self._line()
        if self.diagnostics is None or region is None or (self._kernel, line) in self._raced:
            return
        self._raced.add((self._kernel, line))
        reader = tuple(interpreter.interpreter_builder.grid_idx)
        element = (race.address - region.origin) // region.size
        message = (
            f"race on element {element} of {region.name}: program {reader} reads it{_in(line)}, and "
            f"program {race.writer} of the same launch writes it{_in(race.writer_line)}. The programs of a "
            "grid have no order. Use an atomic operation or a second launch."
        )
        self.diagnostics.say(
            "warning",
            "race",
            message,
            kernel=self._kernel,
            block=reader,
            line=line,
            array=region.name,
        )

    def _refuse(self, address: int, size: int, verb: str) -> NoReturn:
        program = tuple(interpreter.interpreter_builder.grid_idx or (0, 0, 0))
        nearest = min(
            self._regions,
            key=lambda region: max(region.start - address, address - region.end, 0),
            default=None,
        )
        if nearest is None or abs(address - nearest.start) > 1 << 40:
            where = f"address {address:#x}, which is outside every argument"
        else:
            index = (address - nearest.origin) // size
            count = (nearest.end - nearest.origin) // size
            where = f"element {index} of {nearest.name}, which has {count}"
        message = f"Program {program} {verb} {where}. Mask the access or check the offsets."
        if self.diagnostics is not None:
            self.diagnostics.say(
                "error",
                "out_of_bounds",
                message,
                kernel=self._kernel,
                block=program,
                line=self._line(),
                array=nearest.name if nearest else None,
            )
        stop(ExitStatus.ILLEGAL_ACCESS)


def _in(line: int | None) -> str:
    return f" (line {line})" if line is not None else ""


def _as_mask(mask: Any) -> Any:
    """Return `mask` as booleans. Comparisons with scalars produce integers, which are not a mask."""
    return np.asarray(mask, bool)


def _region(name: str, value: object) -> Region | None:
    tensor = getattr(value, "base", value)  # descriptors and wrappers hold their tensor in `base`
    if not isinstance(tensor, torch.Tensor):
        return None
    storage = tensor.untyped_storage()
    start = storage.data_ptr()
    return Region(name, start, start + storage.nbytes(), tensor.data_ptr(), tensor.element_size())


def _regions(name: str, value: object) -> list[Region]:
    """Return the regions of an argument, which may be a tuple of tensors."""
    if isinstance(value, tuple):
        return [region for at, one in enumerate(value) for region in _regions(f"{name}[{at}]", one)]
    region = _region(name, value)
    return [] if region is None else [region]


def _tensor_at(address: int, size: int) -> Region | None:
    """Return the region of the tensor that contains the address; a kernel may follow a pointer that it read.

    Slow, because it looks at all objects.
    """
    for value in gc.get_objects():
        if issubclass(type(value), torch.Tensor):
            region = _region("memory that it has a pointer to", value)
            if region is not None and region.start <= address and address + size <= region.end:
                return region
    return None
