# The author's check_implementation, asked about all outputs at once.

WIDE = False  # it asks programs for the dtypes that its own data has


def check(xp, inputs, expected, got, size, tolerance):
    """Return check_implementation's answer: a bool, a bool with a message, or a message of failure."""
    shapes = true_shapes(size)
    values = {}
    for theirs, ours, role, dtype in ARGUMENTS:
        if role == "scalar":
            values[theirs] = SCALARS[ours](**size)
        elif ours in inputs:
            values[theirs] = tensor_of(inputs[ours], dtype, shapes[ours])
        else:
            values[theirs] = torch.zeros(shapes[ours], dtype=DTYPES[dtype], device=DEVICE)
    known = layout()
    called = {theirs: (ours, dtype) for theirs, ours, _, dtype in ARGUMENTS}
    told = []
    for theirs in known["returns"]:
        ours, dtype = called[theirs]
        told.append(tensor_of(got[ours], dtype, shapes[ours]))
    torch.manual_seed(0)
    with torch.no_grad():
        data = built(known["given"], values)
        answer = author().check_implementation(data, told[0] if len(told) == 1 else tuple(told))
    answer = answer[0] if isinstance(answer, (list, tuple)) else answer
    return not answer if isinstance(answer, str) else bool(answer)
