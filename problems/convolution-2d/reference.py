"""Valid 2D cross-correlation, as a sum of shifted inputs."""


def generate(xp, rng, size):
    kernel_shape = (size["kernel_rows"], size["kernel_cols"])
    kernel = rng.standard_normal(kernel_shape, dtype=xp.float32)
    return {
        "input": rng.standard_normal((size["rows"], size["cols"]), dtype=xp.float32),
        # Scaled so that outputs have deviation 1 whatever the kernel's size.
        "kernel": kernel / xp.float32((kernel_shape[0] * kernel_shape[1]) ** 0.5),
    }


def reference(xp, input, kernel, rows, cols, kernel_rows, kernel_cols):
    out_rows, out_cols = rows - kernel_rows + 1, cols - kernel_cols + 1
    total = xp.zeros((out_rows, out_cols), dtype=input.dtype)
    for i in range(kernel_rows):
        for j in range(kernel_cols):
            total += kernel[i, j] * input[i : i + out_rows, j : j + out_cols]
    return {"output": total}
