"""What the compilers said about a program that does not compile, as findings for its author."""

from judge.compiler.findings import compile_findings, load_findings

__all__ = ["compile_findings", "load_findings"]
