"""Parses the compilers' output on each kernel. The text comes from a sandbox: bounded, validated, cleaned."""

import re
from collections.abc import Mapping
from dataclasses import asdict, replace

from judge.evidence.diagnostics import clean
from judge.report import KernelResources
from sandbox.gpu.compile.compilation import ResourceTexts
from sandbox.ptxas import assembled_kernels, bounded

_MAX_NAME = 200
_USAGE_FUNCTION = re.compile(r"^\s*Function (\S+):\s*$")
_USAGE_CONSTANT = re.compile(r"\bCONSTANT\[\d{1,4}\]:(\d{1,12})")
_USAGE_FIELD = re.compile(r"\b(REG|STACK):(\d{1,12})")


def parse_kernels(texts: ResourceTexts) -> tuple[KernelResources, ...]:
    """Return the kernels in `texts`, in the order of the source, at most `sandbox.ptxas.MAX_KERNELS`.

    ptxas reports spills, and shared memory without the part that the hardware reserves. cuobjdump reads the
    finished binary, so its figures for registers, stack and constants take precedence. Without cuobjdump, the
    figures of ptxas are used, which may lack constants.
    """
    kernels = _by_ptxas(texts.ptxas)
    for name, found in _by_usage(texts.usage).items():
        if name in kernels:
            kernels[name] = replace(kernels[name], **found)  # type: ignore[arg-type]  # counts by name
    return tuple(replace(kernel, name=_readable(name, texts.names)) for name, kernel in kernels.items())


def _readable(mangled: str, names: Mapping[str, str]) -> str:
    return clean(names.get(mangled, mangled), _MAX_NAME)


def _by_ptxas(text: str) -> dict[str, KernelResources]:
    return {name: KernelResources(name, **asdict(found)) for name, found in assembled_kernels(text).items()}


def _by_usage(text: str) -> Mapping[str, dict[str, int]]:
    """Parse the output of `cuobjdump --dump-resource-usage`."""
    fields = {"REG": "registers", "STACK": "stack_bytes"}
    found: dict[str, dict[str, int]] = {}
    function = ""
    for line in text.splitlines():
        if match := _USAGE_FUNCTION.match(line):
            function = match[1]
        elif function and "REG:" in line:
            values = {fields[name]: bounded(word) for name, word in _USAGE_FIELD.findall(line)}
            values["constant_bytes"] = sum(bounded(word) for word in _USAGE_CONSTANT.findall(line))
            found[function] = values
            function = ""
    return found
