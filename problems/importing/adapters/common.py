# The first part is the same for every imported problem: it reads the author's files, asks them for one test, and
# converts arrays. The part after it belongs to one format, and the constants to one problem.

import contextlib
import functools
import importlib
import importlib.abc
import importlib.util
import inspect
import random
import sys

import numpy as np
import torch

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int8": torch.int8,
    "uint32": torch.uint32,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
# Element types that cross the wire as their bits.
BITS = (
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float4_e2m1fn_x2",
)
DTYPES |= {name: getattr(torch, name) for name in BITS if hasattr(torch, name)}
FRESH = 0  # the contents of memory that the author's code leaves empty
NAMES = {dtype: name for name, dtype in DTYPES.items()}


class Texts(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the author's files out of `FILES`, without assertions where float64 replaces their dtype."""

    def find_spec(self, name, path=None, target=None):
        place = name.replace(".", "/")
        folder = any(file.startswith(place + "/") for file in FILES)
        if f"{place}.py" not in FILES and not folder:
            return None
        return importlib.util.spec_from_loader(name, self, origin=f"{place}.py", is_package=folder)

    def exec_module(self, module):
        origin = module.__spec__.origin
        text = FILES.get(origin, "") or FILES.get(origin.replace(".py", "/__init__.py"), "")
        exec(compile(text, origin, "exec", optimize=1 if WIDE else 0), module.__dict__)


@contextlib.contextmanager
def seeded(seed):
    """All randomness follows from `seed`: seeds that the author wrote down are mixed with it."""
    manual, generator = torch.manual_seed, torch.Generator

    def mixed(own):
        return (int(own) * 1000003 + seed) % 2**63

    class Generator(generator):
        def manual_seed(self, own):
            return super().manual_seed(mixed(own))

    def empty(*size, memory_format=None, **rest):
        return torch.zeros(*size, **rest).fill_(FRESH)

    def empty_like(tensor, memory_format=None, **rest):
        return torch.zeros_like(tensor, **rest).fill_(FRESH)

    random.seed(seed)
    np.random.seed(seed % 2**32)
    manual(seed)
    replaced = {
        "manual_seed": lambda own: manual(mixed(own)),
        "Generator": Generator,
        "empty": empty,  # what happens to be in memory would be another chance
        "empty_like": empty_like,
    }
    before = {name: getattr(torch, name) for name in replaced}
    for name, function in replaced.items():
        setattr(torch, name, function)
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(torch, name, function)


def forget():
    """Make the next use import the author's files again."""
    for name in [
        n for n, module in sys.modules.items() if isinstance(getattr(module, "__loader__", None), Texts)
    ]:
        del sys.modules[name]
    for function in FORGETFUL:
        function.cache_clear()


def flat(tensor):
    """A tensor's elements in C order; bfloat16, which array modules lack, as float32; others as their bits."""
    tensor = tensor.detach().contiguous().reshape(-1)
    if NAMES.get(tensor.dtype) in BITS:
        return tensor.view(torch.uint8)
    return tensor.float() if tensor.dtype is torch.bfloat16 else tensor


def tensor_of(array, dtype, shape):
    """A copy of an array as the author's code expects it. Floats may stay in float64."""
    tensor = torch.as_tensor(array).reshape(shape)
    if dtype in BITS:
        return tensor.to(torch.uint8, copy=True).view(DTYPES[dtype])
    return tensor.clone() if is_wide(dtype) else tensor.to(DTYPES[dtype], copy=True)


def is_wide(dtype):
    """Whether elements of a dtype are in float64 now."""
    return WIDE and DTYPES[dtype].is_floating_point and dtype not in BITS


def law(xp, rng, kind, first, second, shape):
    """Contents like those that were seen in the author's tests, in another shape."""
    if kind.startswith("sorted "):
        return xp.sort(law(xp, rng, kind.removeprefix("sorted "), first, second, shape), axis=-1)
    if kind == "integers":
        return rng.integers(int(first), int(second) + 1, shape)
    if kind == "whole":  # numbers that happen to be floats, such as weights of edges
        return rng.integers(int(first), int(second) + 1, shape).astype("float64")
    if kind == "normal":
        return rng.normal(first, second, shape)
    if kind == "constant":
        return xp.full(shape, first)
    return rng.uniform(first, second, shape)


def stored(xp, array, dtype):
    """Contents as the array that holds them: numbers of eight bits as their bits."""
    if not dtype.startswith("float8"):
        return array
    return xp.asarray(flat(torch.as_tensor(array).to(DTYPES[dtype]))).reshape(array.shape)


def generate(xp, rng, size):
    """One of the author's tests with fresh contents; for sizes of which there is none, contents alike."""
    test = TESTS.get(tuple(size[name] for name in SIZES))
    if test is None and FIXED:
        raise ValueError("only the imported tests define its arrays; use the sizes of one of them")
    if test is None:
        drawn = {ours: law(xp, rng, *LAWS[ours], shape(**size)) for ours, shape in SHAPES.items()}
        dtypes = {ours: dtype for _, ours, _, dtype in ARGUMENTS}
        return {ours: stored(xp, array, dtypes[ours]) for ours, array in drawn.items()}
    with seeded(int(rng.integers(0, 2**31 - 1))):
        values = arguments_of(*test)
    given = {ours: xp.asarray(flat(values[theirs])) for theirs, ours, role, _ in ARGUMENTS if ours in SHAPES}
    return {ours: array.reshape(SHAPES[ours](**size)) for ours, array in given.items()}


def reference(xp, **given):
    """Return the outputs of the author's reference for these arguments, by name."""
    size = sizes_of(given)
    results = results_in(WIDE, given, size)
    if STRICT and tuple(size[name] for name in SIZES) not in TESTS:
        require_stable(results, given, size)
    written = [(theirs, ours) for theirs, ours, role, _ in ARGUMENTS if role in {"out", "inout"}]
    return {
        ours: xp.asarray(flat(results[theirs])).reshape(OUTPUTS[ours](**size)) for theirs, ours in written
    }


def results_in(wide, given, size):
    """Return the results by the author's names, in float64 or in the author's own precision."""
    global WIDE  # noqa: PLW0603 - the author's files are imported by it
    before, WIDE = WIDE, wide
    if wide is not before:
        forget()  # assertions are there, or not
    try:
        return results_of_reference(given, true_shapes(size))
    finally:
        if wide is not before:
            WIDE = before
            forget()


def require_stable(results, given, size):
    """Raise an error where float64 differs too much from the author's precision. `results` are in one of them."""
    try:
        other = results_in(not WIDE, given, size)
    except Exception:
        if WIDE:
            raise
        return  # the reference does not work in float64
    require_near(*((results, other) if WIDE else (other, results)))


def require_near(exact, plain):
    """Raise an error if the author's precision uses up a quarter of the tolerance. The importer asks this alone."""
    relative, absolute = TOLERANCE_OF_TESTS
    for name, ours, role, dtype in ARGUMENTS:
        if role in {"out", "inout"} and plain[name].is_floating_point() and dtype not in BITS:
            bound = (absolute + relative * exact[name].abs()) / 4
            if bool(((plain[name].double() - exact[name]).abs() > bound).any()):
                raise ValueError(
                    f"the tolerance of {ours} is too small for sizes that the set has no test of"
                )


def results_of_reference(given, shapes):
    """Return the results of the author's reference, by the author's names."""
    values = {}
    for theirs, ours, role, dtype in ARGUMENTS:
        if role == "scalar":
            values[theirs] = given[ours]
        elif ours in given:
            values[theirs] = tensor_of(given[ours], dtype, shapes[ours])
        else:
            wanted = torch.float64 if is_wide(dtype) else DTYPES[dtype]
            values[theirs] = torch.zeros(shapes[ours], dtype=wanted, device=DEVICE)
    torch.manual_seed(0)
    with torch.no_grad():
        return compute(values)


def sizes_of(given):
    """The sizes that these arguments have: from numbers and shapes, and the rest from the author's tests."""
    size = dict.fromkeys(SIZES, 1) if "variant" in SIZES else {}
    known = {"variant"}
    for name, (ours, axis, offset, scale) in FROM_ARGUMENTS.items():
        value = offset + (round(float(given[ours]) * scale) if axis is None else given[ours].shape[axis])
        size[name] = as_tested(name, value) if scale > 1 else value
        known.add(name)
    if known.issuperset(SIZES):
        return size
    for test in (dict(zip(SIZES, key)) for key in TESTS):
        if all(test[name] == size[name] for name in FROM_ARGUMENTS):
            return test
    raise ValueError("these sizes are not among the imported tests")


def as_tested(name, value):
    """The size of a test that this is but for the rounding of a number that was told by its decimals."""
    known = {key[SIZES.index(name)] for key in TESTS}
    near = min(known, key=lambda size: abs(size - value), default=value)
    return near if abs(near - value) <= 1 + abs(value) * 1e-6 else value


def true_shapes(size):
    """The shapes that the author's code works with, by our names: outside, numbers and many dimensions are flat."""
    shapes = {ours: shape(**size) for ours, shape in {**SHAPES, **OUTPUTS}.items()}
    shapes |= dict.fromkeys(POINTS, ())
    return shapes | TRUE_SHAPES.get(tuple(size[name] for name in SIZES if name != "variant"), {})


DEVICE = "cuda"
sys.meta_path.insert(0, Texts())
