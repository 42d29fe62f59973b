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
    """Return the kind of a signature's entry: array, scalar, module, or a type that cannot be passed."""
    if isinstance(ctype, type) and issubclass(ctype, torch.nn.Module):
        return "module"
    if ctype is torch.Tensor or ctype is ctypes.c_void_p:
        return "array"
    if isinstance(ctype, type) and issubclass(ctype, ctypes._Pointer):
        return "array"
    if isinstance(ctype, type) and issubclass(ctype, ctypes._SimpleCData):
        return "scalar"
    return "unknown"


def directed(name, entry):
    """Type and direction of an entry of the signature; early challenges give the type alone."""
    if isinstance(entry, (tuple, list)) and len(entry) == 2:
        return entry
    raise ValueError(f"get_solve_signature does not say whether {name} is in, out or inout")


def describe():
    """Return the description that needs no test."""
    found = challenge()
    arguments, modules = [], []
    for name, entry in found.get_solve_signature().items():
        ctype, role = directed(name, entry)
        kind = kind_of(ctype)
        if kind == "module":
            module = made("example")[0][name]
            if type(module) is torch.nn.Linear:
                modules.append(parts_of(name, module))
                arguments += [
                    {
                        "name": part,
                        "kind": "array" if part in modules[-1]["state"].values() else "scalar",
                        "role": "in",
                        "dtype": "" if part in modules[-1]["state"].values() else "int32",
                    }
                    for part in [*modules[-1]["init"], *modules[-1]["state"].values()]
                ]
                continue
            kind = f"module {type(module).__name__}"
        arguments.append({"name": name, "kind": kind, "role": role, "dtype": CTYPES.get(ctype, "")})
    return {
        "title": str(found.name),
        "absolute": float(found.atol),
        "relative": float(found.rtol),
        "gpus": int(getattr(found, "num_gpus", 1)),
        "tier": str(getattr(found, "access_tier", "")),
        "arguments": arguments,
        "modules": modules,
    }


def parts_of(name, module):
    """A module as the numbers that it is made with and the arrays that are its parameters."""
    return {
        "name": name,
        "kind": type(module).__name__,
        "init": [f"{name}.in_features", f"{name}.out_features"],
        "state": {parameter: f"{name}.{parameter}" for parameter in module.state_dict()},
    }


def taken_apart(values):
    """Modules among the arguments replaced by their parts."""
    result = {}
    for name, value in values.items():
        if isinstance(value, torch.nn.Module):
            result |= {f"{name}.in_features": value.in_features, f"{name}.out_features": value.out_features}
            result |= {f"{name}.{key}": tensor.detach() for key, tensor in value.state_dict().items()}
        else:
            result[name] = value
    return result


def put_together(values):
    """The opposite of taken_apart."""
    result = {name: value for name, value in values.items() if "." not in name}
    for name in dict.fromkeys(name.partition(".")[0] for name in values if "." in name):
        weight = values[f"{name}.weight"]
        module = torch.nn.Linear(
            weight.shape[1], weight.shape[0], bias=f"{name}.bias" in values, device=DEVICE, dtype=weight.dtype
        )
        state = {key: values[f"{name}.{key}"] for key in module.state_dict()}
        module.load_state_dict(state)
        result[name] = module
    return result


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
    if kind == "OutTensor":
        return torch.empty(shape, dtype=dtype, device=DEVICE)
    return torch.full(shape, getattr(value, "value", 0), dtype=dtype, device=DEVICE)


def arguments_of(part, number):
    """Every argument of one test by the author's name."""
    return taken_apart({name: filled(value) for name, value in made(part)[number].items()})


def compute(values):
    """Return the outputs that the reference writes, by the author's names."""
    challenge().reference_impl(**put_together(values))
    return values


def operations(part, number):
    """Unknown in this format."""
    return


FORGETFUL = (challenge,)
