"""Converts compiler errors of a program into findings for its author."""

from judge.compiler.findings import compile_findings, load_findings
from judge.compiler.shown_log import shown_log

__all__ = ["compile_findings", "load_findings", "shown_log"]
