# LeetGPU: class Challenge with reference_impl, which writes its outputs in place, and three kinds of tests.

import ctypes

SPECS = {"RandTensor", "RandnTensor", "RandIntTensor", "FullTensor", "OutTensor"}
CTYPES = {
    ctypes.c_float: "float32",
    ctypes.c_double: "float64",
    ctypes.c_bool: "bool",
    ctypes.c_int8: "int8",
    ctypes.c_uint8: "uint8",
    ctypes.c_int32: "int32",
    ctypes.c_uint32: "uint32",
    ctypes.c_int64: "int64",
    ctypes.c_uint64: "int64",
    ctypes.c_size_t: "int64",
}


@functools.cache
def challenge():
    """The one instance."""
    return importlib.import_module(MAIN).Challenge()


def kind_of(ctype):
    """What an entry of the signature is: array, scalar, module, or something that cannot be passed."""
    if isinstance(ctype, type) and issubclass(ctype, torch.nn.Module):
        return "module"
    if ctype is torch.Tensor or ctype is ctypes.c_void_p:
        return "array"
    if isinstance(ctype, type) and issubclass(ctype, ctypes._Pointer):
        return "array"
    if isinstance(ctype, type) and issubclass(ctype, ctypes._SimpleCData):
        return "scalar"
    return "unknown"


def describe():
    """What can be said before any test is made."""
    found = challenge()
    return {
        "title": str(found.name),
        "absolute": float(found.atol),
        "relative": float(found.rtol),
        "gpus": int(getattr(found, "num_gpus", 1)),
        "tier": str(getattr(found, "access_tier", "")),
        "arguments": [
            {"name": name, "kind": kind_of(ctype), "role": role, "dtype": CTYPES.get(ctype, "")}
            for name, (ctype, role) in found.get_solve_signature().items()
        ],
    }


def made(part):
    """The tests of one part, as the author made them."""
    tests = getattr(challenge(), f"generate_{part}_test")()
    return list(tests) if isinstance(tests, (list, tuple)) else [tests]


def tests():
    """Part, number and name of every test."""
    return [
        (part, number, f"{part} {number + 1}")
        for part in ("example", "functional", "performance")
        for number in range(len(made(part)))
    ]


def filled(value):
    """A tensor for a description of one; everything else as it is."""
    kind = type(value).__name__
    if kind not in SPECS:
        return value
    dtype = DTYPES[value.dtype] if isinstance(value.dtype, str) else value.dtype
    shape = tuple(value.shape)
    if kind == "RandTensor":
        return torch.empty(shape, dtype=dtype, device=DEVICE).uniform_(value.low, value.high)
    if kind == "RandnTensor":
        return torch.empty(shape, dtype=dtype, device=DEVICE).normal_(value.mean, value.std)
    if kind == "RandIntTensor":
        return torch.randint(value.low, value.high, shape, device=DEVICE).to(dtype)
    return torch.full(shape, getattr(value, "value", 0), dtype=dtype, device=DEVICE)


def arguments_of(part, number):
    """Every argument of one test by the author's name."""
    return {name: filled(value) for name, value in made(part)[number].items()}


def compute(values):
    """What the reference writes, by the author's name."""
    challenge().reference_impl(**values)
    return values


def operations(part, number):
    """Unknown in this format."""
    return None


FORGETFUL = (challenge,)
