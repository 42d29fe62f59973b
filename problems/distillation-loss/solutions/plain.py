"""A program for each row: one pass with running maxima and sums, and one that stores the gradient.

What bounds it: memory. The second pass reads the row again, mostly from the cache. Lanes past the last class load minus infinity,
whose exponential is 0. Their difference is not a number, so it must be masked before the sum.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def distil(student, teacher, label, loss, gradient, c, temperature, alpha, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * c
    s_most = -float("inf")
    t_most = -float("inf")
    hard = 0.0
    soft = 0.0
    given = 0.0
    gap = 0.0
    shift = tl.load(teacher + first) - tl.load(student + first)
    for start in range(0, c, BLOCK):
        at = start + tl.arange(0, BLOCK)
        s = tl.load(student + first + at, mask=at < c, other=-float("inf"))
        t = tl.load(teacher + first + at, mask=at < c, other=-float("inf"))
        s_next = tl.maximum(s_most, tl.max(s, axis=0))
        t_next = tl.maximum(t_most, tl.max(t, axis=0))
        weight = tl.exp((t - t_next) / temperature)
        old = tl.exp((t_most - t_next) / temperature)
        hard = hard * tl.exp(s_most - s_next) + tl.sum(tl.exp(s - s_next), axis=0)
        soft = soft * tl.exp((s_most - s_next) / temperature) + tl.sum(tl.exp((s - s_next) / temperature), axis=0)
        given = given * old + tl.sum(weight, axis=0)
        gap = gap * old + tl.sum(tl.where(at < c, weight * (t - s - shift), 0.0), axis=0)
        s_most = s_next
        t_most = t_next
    right = tl.load(label + tl.program_id(0))
    common = shift - t_most + s_most
    divergence = (gap / given + common) / temperature - tl.log(given) + tl.log(soft)
    entropy = tl.log(hard) - (tl.load(student + first + right) - s_most)
    tl.atomic_add(loss, alpha * temperature * temperature * divergence + (1 - alpha) * entropy)
    for start in range(0, c, BLOCK):
        at = start + tl.arange(0, BLOCK)
        s = tl.load(student + first + at, mask=at < c, other=0.0) - s_most
        t = tl.load(teacher + first + at, mask=at < c, other=0.0) - t_most
        difference = tl.exp(s / temperature) / soft - tl.exp(t / temperature) / given
        error = tl.exp(s) / hard - tl.where(at == right, 1.0, 0.0)
        tl.store(gradient + first + at, alpha * temperature * difference + (1 - alpha) * error, mask=at < c)


def solve(
    student: torch.Tensor,
    teacher: torch.Tensor,
    label: torch.Tensor,
    loss: torch.Tensor,
    gradient: torch.Tensor,
    n: int,
    c: int,
    temperature: float,
    alpha: float,
) -> None:
    distil[(n,)](student, teacher, label, loss, gradient, c, temperature, alpha, BLOCK=1024)
