"""Runs management commands against a running site in one process, because starting them is slow."""

import json
import subprocess
import sys
from collections.abc import Mapping

from web.config import ROOT

_SERVE = """
import io, json, sys, traceback
from contextlib import redirect_stderr, redirect_stdout
from os import environ
environ["DJANGO_SETTINGS_MODULE"] = "web.settings"
import django
from django.core.management import execute_from_command_line
from django.db import connections
django.setup()
answers = sys.stdout
for line in sys.stdin:
    said, status = io.StringIO(), 0
    with redirect_stdout(said), redirect_stderr(said):
        try:
            execute_from_command_line(["manage.py", *json.loads(line)])
        except SystemExit as end:
            status = end.code or 0
        except Exception:
            traceback.print_exc()
            status = 1
        connections.close_all()
    print(json.dumps([status, said.getvalue()]), file=answers, flush=True)
"""


class Commands:
    """Runs management commands in one process with the environment `environ`, which starts with the first."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._process: subprocess.Popen[str] | None = None

    def run(self, *arguments: str) -> None:
        """Run `manage.py` with `arguments`. If it fails, fail with its output."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-c", _SERVE],
                cwd=ROOT,
                env=self._environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(arguments)}\n")
        self._process.stdin.flush()
        status, said = json.loads(self._process.stdout.readline())
        assert status == 0, f"manage.py {' '.join(arguments)} failed:\n{said}"

    def end(self) -> None:
        """End the process, if one runs."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
