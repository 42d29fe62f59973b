"""Reads what the compilers say of each kernel. The text comes from a sandbox: bounded, validated, cleaned."""

import re
from collections.abc import Mapping
from dataclasses import replace

from judge.evidence.diagnostics import clean
from judge.report import KernelResources
from sandbox.gpu.compile.compilation import ResourceTexts

MAX_KERNELS = 64
_MAX_NAME = 200
_LIMIT = 2**31
_ENTRY = re.compile(r"ptxas info\s*: Compiling entry function '([^']+)' for '\w+'")
_PROPERTIES = re.compile(r"ptxas info\s*: Function properties for (\S+)")
_USED = re.compile(r"ptxas info\s*: Used (\d{1,12}) registers")
# Counts are looked for anywhere in a line, so each is bounded: else a line of digits would take its square.
_COUNT = r"(?<!\d)(\d{1,12})"
_FRAME = re.compile(rf"{_COUNT} bytes stack frame, {_COUNT} bytes spill stores, {_COUNT} bytes spill loads")
_SHARED = re.compile(rf"{_COUNT} bytes smem")
_CONSTANT = re.compile(rf"{_COUNT} bytes cmem\[\d{{1,4}}\]")
_USAGE_FUNCTION = re.compile(r"^\s*Function (\S+):\s*$")
_USAGE_CONSTANT = re.compile(r"\bCONSTANT\[\d{1,4}\]:(\d{1,12})")
_USAGE_FIELD = re.compile(r"\b(REG|STACK):(\d{1,12})")


def parse_kernels(texts: ResourceTexts) -> tuple[KernelResources, ...]:
    """The kernels that `texts` describe, in the order of the source, at most MAX_KERNELS.

    ptxas knows spills, and shared memory without what the hardware keeps for itself. Of registers, stack and
    constants cuobjdump, which reads the finished binary, has the last word; where it is missing ptxas stands,
    which may not print constants at all.
    """
    kernels = _by_ptxas(texts.ptxas)
    for name, found in _by_usage(texts.usage).items():
        if name in kernels:
            kernels[name] = replace(kernels[name], **found)  # type: ignore[arg-type]  # counts, by name
    return tuple(replace(kernel, name=_readable(name, texts.names)) for name, kernel in kernels.items())


def _readable(mangled: str, names: Mapping[str, str]) -> str:
    return clean(names.get(mangled, mangled), _MAX_NAME)


def _by_ptxas(text: str) -> dict[str, KernelResources]:
    """Parse `ptxas -v`: for each entry its name, then its frame and spills, then the rest on one line."""
    kernels: dict[str, KernelResources] = {}
    entry = function = ""
    for line in text.splitlines():
        if match := _ENTRY.match(line):
            entry = match[1]
            if len(kernels) < MAX_KERNELS:
                kernels[entry] = KernelResources(entry, 0, 0, 0, 0, 0)
        elif match := _PROPERTIES.match(line):
            function = match[1]
        elif entry not in kernels:
            continue
        elif (match := _FRAME.search(line)) and function == entry:
            stack, stores, loads = (_number(word) for word in match.groups())
            kernels[entry] = replace(
                kernels[entry], stack_bytes=stack, spill_store_bytes=stores, spill_load_bytes=loads
            )
        elif match := _USED.match(line):
            shared = _SHARED.search(line)
            kernels[entry] = replace(
                kernels[entry],
                registers=_number(match[1]),
                shared_bytes=_number(shared[1]) if shared else 0,
                constant_bytes=sum(_number(word) for word in _CONSTANT.findall(line)),
            )
    return kernels


def _by_usage(text: str) -> Mapping[str, dict[str, int]]:
    """Parse the output of `cuobjdump --dump-resource-usage`."""
    fields = {"REG": "registers", "STACK": "stack_bytes"}
    found: dict[str, dict[str, int]] = {}
    function = ""
    for line in text.splitlines():
        if match := _USAGE_FUNCTION.match(line):
            function = match[1]
        elif function and "REG:" in line:
            values = {fields[name]: _number(word) for name, word in _USAGE_FIELD.findall(line)}
            values["constant_bytes"] = sum(_number(word) for word in _USAGE_CONSTANT.findall(line))
            found[function] = values
            function = ""
    return found


def _number(word: str) -> int:
    return min(int(word[:12]), _LIMIT)
