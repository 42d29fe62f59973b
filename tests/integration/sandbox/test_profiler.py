"""Tests a runner under a profiler on both backends, without a GPU: its output, and the returned report.

The profiler is a script with the command line of ncu.
"""

from pathlib import Path

import pytest

from judge.evidence.profile import program_output, read_profile
from sandbox.gpu.profiler import MAX_REPORT_BYTES, REPORT
from sandbox.gpu.runners import watched_runner_command
from sandbox.gpu.tool import Tool
from sandbox.spec import Bind, Command, Limits
from tests.integration.sandbox.conftest import Sandbox

pytestmark = pytest.mark.integration
LIMITS = Limits(wall_s=20, cpu_s=10, memory_mib=256, processes=32, file_mib=64, tmpfs_mib=64)
PROFILER = """\
#!/bin/sh
report=
for word; do
  [ "$last" = --export ] && report=$word
  last=$word
done
if [ -n "$report" ]; then
  {write} > "$report"
  echo "==PROF== Connected to process 7"
  exec "$last"
fi
case "$*" in
  *raw*) printf '"ID","Kernel Name"\\n"",""\\n"0","add"\\n';;
esac
"""


def profiling(folder: Path, write: str, program: str = "echo hello") -> Command:
    """The command of a runner that does `program` under a profiler that writes its report with `write`."""
    for name, text in (
        ("runner/device_runner", f"#!/bin/sh\n{program}\n"),
        ("tool/ncu", PROFILER.replace("{write}", write)),
    ):
        path = folder / name
        path.parent.mkdir()
        path.write_text(text)
        path.chmod(0o755)
        path.parent.chmod(0o755)
    return watched_runner_command(
        folder / "runner" / "device_runner",
        "/tool/ncu",
        tool=Tool.PROFILER,
        limits=LIMITS,
        gpu=None,
        binds=(Bind(folder / "tool", "/tool"),),
    )


def test_the_report_comes_back_next_to_what_was_printed(sandbox: Sandbox, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    command = profiling(tmp_path, "printf 'NVR\\0\\377'")
    process = sandbox.backend.start(command)
    try:
        done = process.wait(60)
    finally:
        process.close()
    assert done.files == {REPORT: b"NVR\0\xff"}
    assert program_output(done.stdout) == b"hello"
    assert [launch.kernel for launch in read_profile(done.stdout).launches] == ["add"]


@pytest.mark.parametrize(
    ("write", "program"),
    [
        (f"head -c {MAX_REPORT_BYTES + 1} /dev/zero", "true"),
        ("echo report", f"rm /work/{REPORT}"),
        ("echo report", f"ln -sf /etc/passwd /work/{REPORT}"),
    ],
    ids=["too large", "removed", "link"],
)
def test_without_a_plain_file_of_bounded_size_only_the_profile_comes_back(
    sandbox: Sandbox, tmp_path: Path, write: str, program: str
) -> None:
    tmp_path.chmod(0o755)
    process = sandbox.backend.start(profiling(tmp_path, write, program))
    try:
        done = process.wait(60)
    finally:
        process.close()
    assert done.files == {}
    assert read_profile(done.stdout).launches
