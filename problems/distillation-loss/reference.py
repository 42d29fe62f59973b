"""Students near their teachers, with a common part in each row that makes naive exponentials overflow.

A few classes of the teacher are masked: their logits lie 500 below the others, so their probability vanishes
in float32. They add nothing to the loss.
"""

ROWS = 1024  # rows at a time: the intermediate results of a timed case would take many gigabytes


def generate(xp, rng, size):
    n, c = size["n"], size["c"]
    teacher = 2 * rng.standard_normal((n, c), dtype=xp.float32)
    student = 0.7 * teacher
    student += rng.standard_normal((n, c), dtype=xp.float32)
    masked = (rng.random((n, c), dtype=xp.float32) < 0.02).astype(xp.float32)
    masked[:, 0] = 0  # not all classes of a row
    teacher -= 500 * masked
    student += 110 * rng.integers(-1, 2, (n, 1)).astype(xp.float32)
    teacher += 110 * rng.integers(-1, 2, (n, 1)).astype(xp.float32)
    return {"student": student, "teacher": teacher, "label": rng.integers(0, c, n).astype(xp.int32)}


def log_softmax(xp, logits):
    shifted = logits - logits.max(axis=1, keepdims=True)
    shifted -= xp.log(xp.exp(shifted).sum(axis=1, keepdims=True))
    return shifted


def reference(xp, student, teacher, label, n, c, temperature, alpha):
    loss = xp.zeros(1, dtype=student.dtype)
    gradient = xp.empty_like(student)
    for first in range(0, n, ROWS):
        rows = slice(first, first + ROWS)
        own, given = student[rows], teacher[rows]
        at = xp.arange(len(own)), label[rows]
        hard = log_softmax(xp, own)
        soft = log_softmax(xp, own / temperature)
        wanted = log_softmax(xp, given / temperature)
        share = xp.exp(wanted)
        divergence = (share * (wanted - soft)).sum(axis=1)
        loss += (alpha * temperature * temperature * divergence - (1 - alpha) * hard[at]).sum()
        part = alpha * temperature * (xp.exp(soft) - share) + (1 - alpha) * xp.exp(hard)
        part[at] -= 1 - alpha
        gradient[rows] = part
    return {"loss": loss, "gradient": gradient}
