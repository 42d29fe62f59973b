"""Converts compiler errors of a program into findings for its author."""

from judge.compiler.findings import compile_findings, load_findings

__all__ = ["compile_findings", "load_findings"]
