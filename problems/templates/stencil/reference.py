"""The mean of four neighbours."""


def generate(xp, rng, size):
    return {"input": rng.uniform(0.5, 1.5, (size["rows"], size["cols"]))}


def reference(xp, input, rows, cols):
    output = input.copy()
    if rows > 2 and cols > 2:
        vertical = input[:-2, 1:-1] + input[2:, 1:-1]
        horizontal = input[1:-1, :-2] + input[1:-1, 2:]
        output[1:-1, 1:-1] = (vertical + horizontal) / 4
    return {"output": output}
