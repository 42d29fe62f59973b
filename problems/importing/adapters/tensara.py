# Tensara: a class named like the folder with reference_solution, which returns its outputs, and test cases that
# make their inputs when asked. The arguments of a solution are inputs, outputs, extra parameters, in this order.

import ctypes
import hashlib
import types

CTYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "int": "int32",
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int32_t": "int32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "size_t": "int64",
    "uint64_t": "int64",
    "bool": "bool",
}
# How a signature without names says the same.
SHORT = {
    ctypes.c_float: "float",
    ctypes.c_double: "double",
    ctypes.c_int32: "int",
    ctypes.c_uint32: "uint32_t",
    ctypes.c_int64: "int64_t",
    ctypes.c_size_t: "size_t",
    ctypes.c_bool: "bool",
}


class Problem:
    """Stands in for the base class where the set on disk has none."""

    is_exact = False
    parameters = None

    def __init__(self, name="", *_, **__):
        self.name = name

    def param_dtype(self, key):
        """The dtype of a parameter by its number or name."""
        known = {given["name"]: given for given in self.parameters}
        given = self.parameters[key] if isinstance(key, int) else known[key]
        return DTYPES.get(CTYPES.get(str(given["type"])), torch.float32)

    def get_extra_params(self, test_case):
        """None, where a definition says nothing."""
        return []

    @staticmethod
    def get_seed(*words):
        return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:4], "little")


@functools.cache
def problem():
    """The one instance: a check may use what other methods have left in it."""
    if "problem.py" not in FILES:
        base = types.ModuleType("problem")
        base.Problem = Problem
        sys.modules.setdefault("problem", base)
    module = importlib.import_module(MAIN)
    return getattr(module, CLASS)()


def call(method, *arguments):
    """Call it, with a dtype where it still asks for one."""
    if "dtype" in inspect.signature(method).parameters:
        return method(*arguments, dtype=torch.float32)
    return method(*arguments)


@functools.cache
def made(part):
    """Return the test cases of one part. Their contents are generated later, on each use."""
    if part == "example" and not hasattr(problem(), "generate_sample"):
        return []
    found = call(problem().generate_sample if part == "example" else problem().generate_test_cases)
    return list(found) if isinstance(found, (list, tuple)) else [found]


def tests():
    """Part, number and name of every test."""
    return [
        (part, number, str(test.get("name", number + 1)))
        for part in ("example", "functional")
        for number, test in enumerate(made(part))
    ]


def split(part, number):
    """Inputs and extra parameters of one test."""
    test = made(part)[number]
    inputs = test["create_inputs"]()
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return inputs, list(problem().get_extra_params(test) or [])


def declared():
    """The parameters, as the definition or the head of its statement has them; nameless ones get names."""
    return list(problem().parameters or PARAMETERS) or by_signature()


def by_signature():
    """The parameters of a definition that says their types alone, as the format did at first."""
    types_of = call(problem().get_function_signature)["argtypes"]
    inputs, extra = split(*tests()[0][:2])
    first = list(inspect.signature(problem().reference_solution).parameters)[: len(inputs)]
    count = len(types_of) - len(inputs) - len(extra)
    word = "output" if "output" not in first else "result"
    names_of = [
        *first,
        *([word] if count == 1 else [f"{word}_{number + 1}" for number in range(count)]),
        *(f"extra_{number + 1}" for number in range(len(extra))),
    ]
    return [
        {"name": name, "type": SHORT.get(ctype, ""), "pointer": issubclass(ctype, ctypes._Pointer)}
        for name, ctype in zip(names_of, types_of)
    ]


def describe():
    """Return the description, using the first test."""
    inputs, extra = split(*tests()[0][:2])
    parameters = declared()
    outputs = len(parameters) - len(inputs) - len(extra)
    places = ["in"] * len(inputs) + ["out"] * outputs + ["in"] * len(extra)
    if outputs < 1:
        raise ValueError(
            f"{len(parameters)} parameters, but {len(inputs)} inputs and {len(extra)} extra ones: no output is left; "
            "give each number once, by create_inputs or by get_extra_params"
        )
    return {
        "title": str(getattr(problem(), "name", "")),
        "absolute": TOLERANCE[0],
        "relative": TOLERANCE[1],
        "gpus": 1,
        "tier": "",
        "arguments": [
            {
                "name": str(given["name"]),
                "kind": "array" if str(given.get("pointer")).lower() == "true" else "scalar",
                "role": place,
                "dtype": CTYPES.get(str(given.get("type")), ""),
            }
            for given, place in zip(parameters, places)
        ],
        "modules": [],
    }


@functools.cache
def names():
    """The names of inputs, outputs and extra parameters."""
    if CALL is not None:
        return CALL
    inputs, extra = split(*tests()[0][:2])
    every = [str(given["name"]) for given in declared()]
    return (
        every[: len(inputs)],
        every[len(inputs) : len(every) - len(extra)],
        every[len(every) - len(extra) :],
    )


def arguments_of(part, number):
    """Every argument but the outputs of one test by the author's name."""
    inputs, extra = split(part, number)
    first, _, last = names()
    return dict(zip([*first, *last], [*inputs, *extra]))


def compute(values):
    """Return the results of the reference, by the author's names."""
    first, outputs, _ = names()
    results = problem().reference_solution(*(values[name] for name in first))
    results = results if isinstance(results, (list, tuple)) else [results]
    return dict(zip(outputs, results))


def operations(part, number):
    """Return the author's count of operations for one test; None if that fails."""
    try:
        count = problem().get_flops(made(part)[number])
    except Exception:
        return None
    return None if count is None else int(count)


FORGETFUL = (problem, made, names)
