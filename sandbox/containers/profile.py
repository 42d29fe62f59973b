"""The system call filter for a container engine: the tables of `sandbox.seccomp` as Docker's JSON.

Theory of operation. The filter of `sandbox.seccomp` allows calls, by number, that no table refuses, and
answers newer calls with ENOSYS. An engine only knows names. So this profile allows each reviewed name, and
everything else gets the default, ENOSYS. A call whose argument decides needs rules for both outcomes.
libseccomp requires that different rules do not overlap, and allows one condition per argument. So `_none_of`
expresses "none of these values" as masked comparisons that together cover all other values. libseccomp itself
kills programs of another machine type.

Source: seccomp_rule_add(3); moby, profiles/seccomp.
"""

import errno
import platform
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product

from sandbox import seccomp
from sandbox.containers.calls import CALLS
from sandbox.spec import Calls

_WORD = 0xFFFF_FFFF  # the filter compares the low half of an argument, and the kernel uses only this half
_BITS = range(32)
_ARCHITECTURES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_Pattern = tuple[int, int]  # a mask, and the required value of the masked bits


def engine_profile(machine: str = "", calls: Calls = Calls.USUAL) -> dict[str, object]:
    """Return the profile for `machine` (by default this one).

    Raises ValueError for a machine that has no filter.
    """
    architecture = seccomp.architecture(machine or platform.machine())
    found = seccomp.rules(calls)
    refused = {name for refusal in found.refusals for name in refusal.calls}
    judged = {judgement.name for judgement in found.judgements}
    rules = [_rule(sorted(set(CALLS) - refused - judged))]
    rules += [_rule(sorted(refusal.calls), refusal.error) for refusal in found.refusals]
    for judgement in found.judgements:
        refusals, allowances = _sides(judgement)
        decided = {(_WORD, value) for value in judgement.then_only}  # by a second argument, below
        for patterns, error in ((refusals, judgement.error), (allowances, 0)):
            rules += [
                _rule([judgement.name], error, {judgement.argument: pattern})
                for pattern in patterns
                if pattern not in decided
            ]
        for value, allowed in judgement.then_only.items():
            first = {judgement.argument: (_WORD, value)}
            for pattern in _none_of(allowed):
                rules.append(_rule([judgement.name], judgement.error, first | {judgement.second: pattern}))
            for pattern in ((_WORD, number) for number in allowed):
                rules.append(_rule([judgement.name], 0, first | {judgement.second: pattern}))
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": errno.ENOSYS,
        "architectures": [_ARCHITECTURES[architecture.name]],
        "syscalls": rules,
    }


def _rule(
    names: list[str], error: int = 0, patterns: Mapping[int, _Pattern] | None = None
) -> dict[str, object]:
    """Return a rule that allows these calls, or refuses them with `error`, if all arguments match."""
    rule: dict[str, object] = {"names": names, "action": "SCMP_ACT_ERRNO" if error else "SCMP_ACT_ALLOW"}
    if error:
        rule["errnoRet"] = error
    if patterns:
        rule["args"] = [
            {"index": argument, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}
            for argument, (mask, value) in patterns.items()
        ]
    return rule


def _sides(judgement: seccomp.ArgumentRule) -> tuple[list[_Pattern], list[_Pattern]]:
    """Return the patterns of refused values and of allowed values. Together they match every value."""
    if judgement.no_bits:
        bits = [1 << bit for bit in _BITS if judgement.no_bits >> bit & 1]
        return [(bit, bit) for bit in bits], [(judgement.no_bits, 0)]
    values = judgement.only or judgement.never
    these, others = [(_WORD, value) for value in values], list(_none_of(values))
    return (others, these) if judgement.only else (these, others)


def _none_of(values: Sequence[int]) -> Iterator[_Pattern]:
    """Return patterns that match every value except these.

    If all values agree in a bit, a value that differs in this bit matches a pattern of this bit alone. The
    remaining values differ in the other bits. Two given values are opposites in these bits, so a value that
    equals neither has, in cyclic order, a bit of the first followed by a bit of the second. For more values
    with few such bits, all combinations are listed.
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
