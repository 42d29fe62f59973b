# GPU MODE: generate_input makes the data of a test from its parameters, ref_kernel takes that data and returns tensors.
# PARAMETERS has the tests of task.yml by part. The layout says what data is made of: names, constants, tuples, dicts.

import ast
import keyword
import types

FORMED = {}  # the layout, once it is known


@functools.cache
def author():
    """The task's reference.py. It is not imported by its name: the package's own file has that one."""
    module = types.ModuleType(f"{MAIN}_of_the_task")
    sys.modules[module.__name__] = module
    exec(compile(FILES[f"{MAIN}.py"], f"{MAIN}.py", "exec", optimize=1 if WIDE else 0), module.__dict__)
    return module


def tests():
    """Part, number and name of every test."""
    return [
        (part, number, named(parameters))
        for part, given in PARAMETERS.items()
        for number, parameters in enumerate(given)
    ]


def named(parameters):
    """A test by its parameters."""
    return " ".join(f"{name} {value}" for name, value in parameters.items() if name != "seed") or "test"


def made(part, number):
    """The data of one test."""
    return author().generate_input(**PARAMETERS[part][number])


def layout():
    """Return the arguments of custom_kernel, and the outputs in the order in which it returns them."""
    if LAYOUT is not None:
        return LAYOUT
    if not FORMED:
        first = tests()[0][:2]
        others = [*skeletons(first[0])]
        data = made(*first)
        form = formed(data, "data", others, unpacked(), set())
        FORMED["data"] = {"entry": "custom_kernel", "given": form, "returns": returned(form, data)}
    return FORMED["data"]


def skeletons(part):
    """Data without its tensors of all tests of a part that can be made; gigabytes need memory at times."""
    for test in tests():
        if test[0] == part:
            try:
                yield skeleton(made(*test[:2]))
            except Exception:
                continue


def skeleton(data):
    """Data without its tensors, which may be large."""
    if type(data) in (tuple, list):
        return [skeleton(part) for part in data]
    if type(data) is dict:
        return {key: skeleton(part) for key, part in data.items()}
    return None if isinstance(data, torch.Tensor) else data


def unpacked():
    """The names that ref_kernel gives the parts of its data, as far as it takes them apart."""
    for node in ast.walk(ast.parse(FILES[f"{MAIN}.py"])):
        if isinstance(node, ast.FunctionDef) and node.name == "ref_kernel":
            taken = node.args.args[0].arg
            for line in ast.walk(node):
                if (
                    isinstance(line, ast.Assign)
                    and isinstance(line.value, ast.Name)
                    and line.value.id == taken
                ):
                    if isinstance(line.targets[0], ast.Tuple):
                        return [
                            part.id if isinstance(part, ast.Name) else "" for part in line.targets[0].elts
                        ]
            return [taken]
    return []


def fresh(name, taken):
    """A name that a program can have and no other part has: keys of dicts may be any text, and come again."""
    plain = "".join(c if c.isalnum() else "_" for c in name)
    plain = plain if plain.isidentifier() and not keyword.iskeyword(plain) else f"data_{plain}"
    found, number = plain, 1
    while found in taken:
        number += 1
        found = f"{plain}_{number}"
    taken.add(found)
    return found


def formed(data, name, others, names, taken):
    """A pattern of data: tensors and what differs between tests by name, the rest as it is."""
    if type(data) in (tuple, list):
        parts = [
            formed(
                part,
                (names[index] if index < len(names) and len(names) == len(data) else "") or f"{name}_{index}",
                [other[index] for other in others],
                [],
                taken,
            )
            for index, part in enumerate(data)
        ]
        return {"tuple" if type(data) is tuple else "list": parts}
    if type(data) is dict and all(isinstance(key, str) for key in data):
        inner = [
            [key, formed(part, key, [other[key] for other in others], [], taken)]
            for key, part in data.items()
        ]
        return {"dict": inner}
    plain = data is None or isinstance(data, (bool, int, float, str))
    if plain and all(other == data for other in others):
        return {"value": data}
    return {"name": fresh(names[0] if len(names) == 1 and names[0].isidentifier() else name, taken)}


def walked(form, data):
    """The named parts of data."""
    if "name" in form:
        return {form["name"]: data}
    found = {}
    parts = form.get("tuple") or form.get("list") or []
    for part, inner in zip(parts, data if parts else []):
        found |= walked(part, inner)
    for key, part in form.get("dict", []):
        found |= walked(part, data[key])
    if "value" in form and form["value"] != data:
        raise ValueError(f"{data!r} is {form['value']!r} in the tests that could be made")
    return found


def built(form, values):
    """Data of these values."""
    if "name" in form:
        return values[form["name"]]
    if "tuple" in form:
        return tuple(built(part, values) for part in form["tuple"])
    if "list" in form:
        return [built(part, values) for part in form["list"]]
    if "dict" in form:
        return {key: built(part, values) for key, part in form["dict"]}
    return form["value"]


def results_of(data):
    """Return the result of ref_kernel as a list."""
    results = author().ref_kernel(data)
    return list(results) if isinstance(results, (tuple, list)) else [results]


def returned(form, data):
    """Names for what ref_kernel returns. A part of the data that comes back is an output with room of its own.

    So is one that is called as an output would be and looks like it, though the reference makes another.
    """
    parts = walked(form, data)
    given = {name: part for name, part in parts.items() if isinstance(part, torch.Tensor)}
    results = results_of(data)
    names, taken = [], set(parts)
    for index, result in enumerate(results):
        if not isinstance(result, torch.Tensor):
            raise TypeError(f"ref_kernel returns a {type(result).__name__}; only tensors can be outputs")
        own = next((name for name, part in given.items() if part is result), None)
        own = own or next((name for name, part in given.items() if shared(part, result)), None)
        name = "output" if len(results) == 1 else f"output_{index + 1}"
        if own is None and name in given and alike(given[name], result):
            own = name
        names.append(own or fresh(name, taken))
    return names


def alike(part, result):
    """Whether two tensors have the same shape and dtype."""
    return part.shape == result.shape and part.dtype == result.dtype


def shared(part, result):
    """Whether two tensors are the same memory."""
    same = part.untyped_storage()._cdata == result.untyped_storage()._cdata
    return same and part.shape == result.shape


def describe():
    """Return the description of the data and of the results."""
    form, outputs = layout()["given"], layout()["returns"]
    part, number, _ = tests()[0]
    data = made(part, number)
    parts = walked(form, data)
    arguments = [
        {"name": name, "kind": kind_of(value), "role": "out" if name in outputs else "in", "dtype": ""}
        for name, value in parts.items()
    ]
    arguments += [
        {"name": name, "kind": "array", "role": "out", "dtype": ""} for name in outputs if name not in parts
    ]
    return {
        "title": "",
        "absolute": ABSOLUTE,
        "relative": RELATIVE,
        "gpus": 1,
        "tier": "",
        "arguments": arguments,
        "modules": [],
        "layout": layout(),
        "notes": [
            f"{name} is not contiguous in the set; it is contiguous here"
            for name, value in parts.items()
            if isinstance(value, torch.Tensor) and not value.is_contiguous()
        ],
    }


def kind_of(value):
    """Array, scalar, or the name of a type that no argument can have."""
    if isinstance(value, torch.Tensor):
        return "array"
    return "scalar" if isinstance(value, (bool, int, float)) else f"a {type(value).__name__}"


def arguments_of(part, number):
    """Every argument of one test by the author's name."""
    return walked(layout()["given"], made(part, number))


def compute(values):
    """Return the results of the reference, by the author's names."""
    known = layout()
    return dict(zip(known["returns"], results_of(built(known["given"], values))))


def operations(part, number):
    """Unknown: ref_kernel is not how the task should be done."""
    return


FORGETFUL = (author,)
