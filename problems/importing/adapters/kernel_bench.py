# KernelBench: class Model, get_inputs and get_init_inputs over numbers at the head of the file. CANDIDATES are other
# numbers to try, by kind: the first that works of each kind becomes a test. The parameters of Model are arguments.

import ast

KINDS = {"sample": "example", "timed": "performance"}
MOST_PARAMETERS = 6
PACKED = "parameters"
LEAST_LARGE, MOST_LARGE = 50_000, 1_000_000


class Numbers(ast.NodeTransformer):
    """Replaces the numbers that names at the head of the file stand for."""

    def __init__(self, numbers):
        self.numbers = numbers

    def visit_Assign(self, node):
        for target in node.targets:
            if isinstance(target, ast.Name):
                node.value = self.replaced(target.id, node.value)
            parts = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else []
            if isinstance(target, ast.Name):
                keys = [f"{target.id}[{index}]" for index in range(len(parts))]
            else:
                keys = [part.id if isinstance(part, ast.Name) else "" for part in getattr(target, "elts", [])]
            if len(keys) == len(parts):
                parts[:] = map(self.replaced, keys, parts)
        return node

    def replaced(self, key, value):
        """The number of that key in place of what stands there."""
        if key not in self.numbers:
            return value
        return ast.copy_location(ast.Constant(self.numbers[key]), value)


@functools.cache
def author(numbers=()):
    """The file's names, with some numbers replaced."""
    tree = ast.parse(FILES[f"{MAIN}.py"])
    tree.body = [
        Numbers(dict(numbers)).visit(node) if isinstance(node, ast.Assign) else node for node in tree.body
    ]
    names = {"__name__": MAIN}
    exec(compile(ast.fix_missing_locations(tree), f"{MAIN}.py", "exec", optimize=1 if WIDE else 0), names)
    return names


def of_candidate(number):
    """The file with the numbers of one candidate."""
    return author(tuple(sorted(CANDIDATES[number][1].items())))


def inputs_of(names):
    """Inputs of forward, on the device."""
    with torch.device(DEVICE):
        return list(names["get_inputs"]())


def init_of(names):
    """Return the constructor arguments of Model."""
    return list(names["get_init_inputs"]()) if "get_init_inputs" in names else []


def model_of(names, init):
    """A Model on the device."""
    with torch.device(DEVICE):
        return names["Model"](*init)


@functools.cache
def tests():
    """Part, number and name of every test: of each kind the first candidate that works."""
    found, done = [], set()
    for number, (kind, _) in enumerate(CANDIDATES):
        if kind not in done and works(number, kind):
            done.add(kind)
            found.append((KINDS.get(kind, "functional"), number, kind))
    return found


def works(number, kind):
    """Whether Model can be made and run with a candidate's numbers, and has about the size of its kind."""
    if kind == "timed":
        return True  # the file as it is
    try:
        names = of_candidate(number)
        model = model_of(names, init_of(names))
        if [name for name, _ in model.named_parameters()] != full_parameters():
            return False  # another model, such as one of fewer layers
        inputs = inputs_of(names)
        with torch.no_grad():
            results = listed(model(*inputs))
    except Exception:
        return False
    arrays = [*inputs, *results, *model.parameters()]
    count = sum(value.numel() for value in arrays if isinstance(value, torch.Tensor))
    return kind != "large" or LEAST_LARGE <= count <= MOST_LARGE


@functools.cache
def full_parameters():
    """The names of the parameters of Model as the file makes it, which may take gigabytes."""
    from sandbox.runner.torch_host import place_on_host

    with place_on_host(meta=True):
        return [name for name, _ in model_of(author(), init_of(author())).named_parameters()]


def listed(results):
    """Return the results of forward as a list."""
    return list(results) if isinstance(results, (tuple, list)) else [results]


def parameters_of(model):
    """The parameters of a model by an identifier of their own, with the names that they have."""
    return {
        "".join(c if c.isalnum() else "_" for c in name): (name, parameter)
        for name, parameter in model.named_parameters()
    }


def forward_names(names, count):
    """Return the names that forward gives its inputs."""
    taken = [
        name
        for name, parameter in inspect.signature(names["Model"].forward).parameters.items()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ][1:]
    return taken[:count] if len(taken) >= count else [f"input_{index + 1}" for index in range(count)]


def init_names(names, count):
    """Return the names that the constructor gives its arguments."""
    taken = list(inspect.signature(names["Model"].__init__).parameters)[1:]
    return [taken[index] if index < len(taken) else f"init_{index + 1}" for index in range(count)]


def constant(value):
    """A pattern of a value that is the same in all tests."""
    if isinstance(value, (tuple, list)):
        return {"tuple" if isinstance(value, tuple) else "list": [constant(part) for part in value]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    raise TypeError(
        f"Model is constructed with a {type(value).__name__}; only numbers and strings are supported"
    )


def varying(name, values, known_as, clashes):
    """A pattern of a value that may differ between tests: whole numbers get names, also those within tuples.

    A number within a tuple that always equals a named number gets that name.
    """
    first = values[0]
    if all(type(value) is type(first) and value == first for value in values):
        return constant(first)
    if all(type(value) is int for value in values):
        name = f"init_{name}" if name in clashes else name
        known_as.setdefault(tuple(values), name)
        return {"name": name}
    for kind in (tuple, list):
        if all(isinstance(value, kind) and len(value) == len(first) for value in values):
            return {
                kind.__name__: [
                    {"name": known_as[parts]}
                    if parts in known_as
                    else varying(f"{name}_{index + 1}", list(parts), known_as, clashes)
                    for index, parts in enumerate(zip(*values))
                ]
            }
    raise TypeError(f"{name} of Model differs between sizes and is not an integer")


def numbers_in(form, value):
    """The numbers that a pattern names, by their names."""
    if "name" in form:
        return {form["name"]: value}
    if "value" in form:
        return {}
    parts = form.get("tuple") or form.get("list") or []
    return {
        name: number for part, inner in zip(parts, value) for name, number in numbers_in(part, inner).items()
    }


FORMED = {}  # the layout, once it is known


def layout():
    """Return the constructor arguments, inputs, parameters and results of Model."""
    if LAYOUT is not None:
        return LAYOUT
    if not FORMED:
        FORMED["data"] = form_of(tests())
    return FORMED["data"]


def form_of(known):
    """The layout, by the tests that there are."""
    every = [init_of(of_candidate(number)) for _, number, _ in known]
    names = of_candidate(least(known))
    inputs = inputs_of(names)
    parameters = parameters_of(model_of(names, every[0]))
    given = forward_names(names, len(inputs))
    clashes = {*given, *parameters, PACKED}
    known_as = {}
    init = [
        varying(name, values, known_as, clashes)
        for name, values in zip(init_names(names, len(every[0])), map(list, zip(*every)))
    ]
    packed = len(parameters) > MOST_PARAMETERS
    with torch.no_grad():
        results = listed(model_of(names, init_of(names))(*inputs))
    return {
        "entry": "ModelNew",
        "init": {"tuple": init},
        "given": {"tuple": [given_of(name, value) for name, value in zip(given, inputs)]},
        "state": {theirs: PACKED if packed else ours for ours, (theirs, _) in parameters.items()},
        "returns": ["output"]
        if len(results) == 1
        else [f"output_{index + 1}" for index in range(len(results))],
    }


def least(known):
    """The number of the test that is examined first: not the one of full size, where there is another."""
    return next((number for part, number, _ in known if part != "performance"), known[0][1])


def given_of(name, value):
    """A pattern of one input."""
    return {"name": name} if isinstance(value, (torch.Tensor, int, float)) else constant(value)


def describe():
    """Return the description of the inputs, the parameters and the results."""
    known = layout()
    values = arguments_of("", least(tests()))
    outputs = known["returns"]
    return {
        "title": "",
        "absolute": TOLERANCE,
        "relative": TOLERANCE,
        "gpus": 1,
        "tier": "",
        "arguments": [
            {"name": name, "kind": kind_of(value), "role": "in", "dtype": ""}
            for name, value in values.items()
        ]
        + [{"name": name, "kind": "array", "role": "out", "dtype": ""} for name in outputs],
        "modules": [],
        "layout": known,
        "notes": [],
    }


def kind_of(value):
    """Array, scalar, or the name of a type that no argument can have."""
    if isinstance(value, torch.Tensor):
        return "array"
    return "scalar" if isinstance(value, (bool, int, float)) else f"a {type(value).__name__}"


def arguments_of(part, number):
    """Inputs, parameters and the numbers that Model is made with, of one test."""
    names, known = of_candidate(number), layout()
    inputs, init = inputs_of(names), init_of(names)
    values = {form["name"]: value for form, value in zip(known["given"]["tuple"], inputs) if "name" in form}
    parameters = parameters_of(model_of(names, init))
    if PACKED in known["state"].values():
        values[PACKED] = torch.cat([parameter.detach().reshape(-1) for _, parameter in parameters.values()])
    else:
        values |= {name: parameter.detach() for name, (_, parameter) in parameters.items()}
    return values | numbers_in(known["init"], init)


def built(form, values):
    """Return the value that a pattern describes."""
    if "name" in form:
        return values[form["name"]]
    if "tuple" in form:
        return tuple(built(part, values) for part in form["tuple"])
    if "list" in form:
        return [built(part, values) for part in form["list"]]
    return form["value"]


def compute(values):
    """Return the results of Model with these parameters, by the author's names."""
    known = layout()
    model = model_of(author(), built(known["init"], values))
    if any(isinstance(value, torch.Tensor) and value.dtype is torch.float64 for value in values.values()):
        model = model.double()
    start = 0
    for name, (theirs, parameter) in parameters_of(model).items():
        if PACKED in known["state"].values():
            source = values[PACKED][start : start + parameter.numel()].reshape(parameter.shape)
            start += parameter.numel()
        else:
            source = values[name]
        parameter.data = source.to(parameter.dtype)
    results = listed(model(*built(known["given"], values)))
    return dict(zip(known["returns"], results))


def operations(part, number):
    """Return PyTorch's count of operations in the products of one test; None if there are none."""
    from sandbox.runner.torch_host import place_on_host
    from torch.utils.flop_counter import FlopCounterMode

    names = of_candidate(number)
    with place_on_host(meta=True), torch.no_grad():
        model, inputs = model_of(names, init_of(names)), inputs_of(names)
        with FlopCounterMode(display=False) as counter:
            model(*inputs)
    return counter.get_total_flops() or None


FORGETFUL = (author,)
