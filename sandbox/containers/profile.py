"""The system call filter for a container engine: the tables of `sandbox.seccomp` as Docker's JSON.

Theory of operation. Our own filter allows by number what no table refuses, and answers ENOSYS to calls that
are newer. An engine knows names only, so all reviewed names are allowed one by one, and everything else
gets the default, ENOSYS. A call that is judged by an argument has rules for both sides: libseccomp wants
rules that do not overlap unless they say the same, and one condition per argument, so "none of these
values" is spelled out by `_none_of` as masked comparisons that together cover the rest. Machines other
than the one it is made for are killed by libseccomp itself.

Source: seccomp_rule_add(3); moby, profiles/seccomp.
"""

import errno
import platform
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from sandbox import seccomp
from sandbox.containers.calls import CALLS

_WORD = 0xFFFF_FFFF  # the filter looks at the low half of an argument; the kernel takes no more of these
_BITS = range(32)
_ARCHITECTURES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_Pattern = tuple[int, int]  # a mask, and what a value must be under it


def engine_profile(machine: str = "", *, watched: bool = False) -> dict[str, object]:
    """The profile for `machine`, this one when empty, of a program that a tool watches or of any other.

    Raises ValueError for a machine that has no filter.
    """
    architecture = seccomp.architecture(machine or platform.machine())
    found = seccomp.rules(watched=watched)
    refused = {name for refusal in found.refusals for name in refusal.calls}
    judged = {judgement.name for judgement in found.judgements}
    rules = [_rule(sorted(set(CALLS) - refused - judged))]
    rules += [_rule(sorted(refusal.calls), refusal.error) for refusal in found.refusals]
    for judgement in found.judgements:
        refusals, allowances = _sides(judgement)
        for patterns, error in ((refusals, judgement.error), (allowances, 0)):
            rules += [_rule([judgement.name], error, judgement.argument, pattern) for pattern in patterns]
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": errno.ENOSYS,
        "architectures": [_ARCHITECTURES[architecture.name]],
        "syscalls": rules,
    }


def _rule(
    names: list[str], error: int = 0, argument: int = 0, pattern: _Pattern | None = None
) -> dict[str, object]:
    """Allow these calls, or refuse them with `error`, where the argument fits the pattern."""
    rule: dict[str, object] = {"names": names, "action": "SCMP_ACT_ERRNO" if error else "SCMP_ACT_ALLOW"}
    if error:
        rule["errnoRet"] = error
    if pattern is not None:
        mask, value = pattern
        comparison = {"index": argument, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}
        rule["args"] = [comparison]
    return rule


def _sides(judgement: seccomp.ArgumentRule) -> tuple[list[_Pattern], list[_Pattern]]:
    """The patterns of what is refused, and of what is allowed. Together they fit every value."""
    if judgement.no_bits:
        bits = [1 << bit for bit in _BITS if judgement.no_bits >> bit & 1]
        return [(bit, bit) for bit in bits], [(judgement.no_bits, 0)]
    values = judgement.only or judgement.never
    these, others = [(_WORD, value) for value in values], list(_none_of(values))
    return (others, these) if judgement.only else (these, others)


def _none_of(values: Sequence[int]) -> Iterator[_Pattern]:
    """Patterns that fit every value but these.

    A value that differs from all of them in a bit that they have in common fits by that bit alone. The rest
    differ in the other bits: for two values, which are opposites there, a value that is neither
    somewhere has a bit of the first followed, in a circle, by one of the second. For more, and few
    such bits, all combinations are gone through.
    """
    first = values[0]
    differing = [1 << bit for bit in _BITS if any((value ^ first) >> bit & 1 for value in values)]
    for bit in (1 << bit for bit in _BITS):
        if bit not in differing:
            yield bit, ~first & bit
    if len(values) == 2:
        for bit, following in pairwise([*differing, differing[0]]):
            yield bit | following, first & bit | ~first & following
        return
    mask = sum(differing)
    taken = {value & mask for value in values}
    for chosen in product((0, 1), repeat=len(differing)):
        combination = sum(bit for bit, on in zip(differing, chosen, strict=True) if on)
        if combination not in taken:
            yield mask, combination
