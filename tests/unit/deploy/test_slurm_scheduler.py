"""The commands of Slurm, against programs that answer like Slurm's."""

import subprocess
from pathlib import Path

import pytest

from deploy.slurm.scaling import Phase
from deploy.slurm.scheduler import QueuedJob, Slurm, SlurmUnavailable, parse, submission

SLURM = Slurm("warpcourt-gpu", submission(["--partition=gpu"], Path("/w.sbatch"), Path("/settings")))
WORKER = Path(__file__).resolve().parents[3] / "deploy" / "slurm" / "worker.sbatch"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Replaces a command of Slurm by a shell script. Each writes its words to `asked`."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("WARPCOURT_SECRET_KEY", "secret")

    def put(name: str, script: str) -> Path:
        asked = tmp_path / "asked"
        path = tmp_path / name
        path.write_text(f'#!/bin/sh\necho "$@" >> {asked}\nenv >> {asked}\n{script}\n')
        path.chmod(0o755)
        return asked

    return put


@pytest.mark.parametrize(
    ("line", "job"),
    [
        ("7|RUNNING|node-1|None", QueuedJob(7, Phase.RUNNING, "node-1")),
        ("8|PENDING|n/a|Resources", QueuedJob(8, Phase.WAITING, "")),
        ("9|PENDING|n/a|launch failed requeued held", QueuedJob(9, Phase.HELD, "")),
        ("9|PENDING|n/a|BeginTime", QueuedJob(9, Phase.HELD, "")),
        ("9|PENDING|n/a|JobHeldUser", QueuedJob(9, Phase.HELD, "")),
        ("9|REQUEUE_HOLD|n/a|a|b", QueuedJob(9, Phase.HELD, "")),
        ("5|COMPLETING|node-2|None", QueuedJob(5, Phase.ENDING, "node-2")),
        ("6|A_STATE_OF_2040|node-2|None", QueuedJob(6, Phase.ENDING, "node-2")),
    ],
)
def test_a_line_of_squeue_is_a_job(line, job):
    assert parse(line) == job


@pytest.mark.parametrize("line", ["", "seven|RUNNING|node|None", "7|RUNNING"])
def test_other_lines_are_refused(line):
    with pytest.raises(SlurmUnavailable):
        parse(line)


def test_a_worker_is_submitted_without_the_secrets_of_this_process(programs):
    asked = programs("sbatch", "echo '41;cluster'")
    assert SLURM.submit() == 41
    said = asked.read_text()
    assert said.startswith("--parsable --job-name=warpcourt-gpu --partition=gpu /w.sbatch /settings\n")
    assert "secret" not in said


def test_only_jobs_that_have_not_started_are_cancelled_and_scripts_are_signalled(programs):
    asked = programs("scancel", "")
    SLURM.cancel([1, 2])
    SLURM.drain([3])
    words = [line for line in asked.read_text().splitlines() if line.startswith("--")]
    assert words == ["--state=PENDING 1 2", "--signal=TERM --batch 3"]


def test_a_refusal_of_slurm_is_its_message(programs):
    programs("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(SlurmUnavailable, match="Unable to contact slurm controller"):
        SLURM.jobs()


def test_without_slurm_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SlurmUnavailable, match="slurm-client"):
        SLURM.jobs()


def run_script(tmp_path: Path, settings: str) -> "subprocess.CompletedProcess[str]":
    path = tmp_path / "settings"
    path.write_text(f"COURT_PAUSE_S=0\nCOURT_LOCAL={tmp_path}/local\n{settings}")
    return subprocess.run(
        ["bash", str(WORKER), str(path)], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize(
    ("settings", "cause", "fix"),
    [
        ("", "COURT_HOME is not set", "write COURT_HOME="),
        ("COURT_HOME=/absent\n", "it cannot open /absent", "mount the shared folder"),
        ("COURT_HOME=/\n", "//.venv/bin/python does not run here", "run deploy/setup"),
    ],
)
def test_the_script_says_what_a_node_lacks_and_how_to_fix_it(tmp_path, settings, cause, fix):
    done = run_script(tmp_path, settings)
    assert done.returncode == 1
    assert f"This node cannot judge: {cause}" in done.stderr
    assert f"Fix: {fix}" in done.stderr


def test_the_script_names_the_sysctls_where_user_namespaces_are_off(tmp_path):
    """The launcher stands for the node: it runs Python, and no bwrap."""
    launcher = tmp_path / "launcher"
    launcher.write_text('#!/bin/sh\n[ "$1" != bwrap ]\n')
    launcher.chmod(0o755)
    settings = f"COURT_HOME={tmp_path}\nCOURT_LAUNCHER={launcher}\n"
    done = run_script(tmp_path, f"{settings}WARPCOURT_TARGET=cpu\nWARPCOURT_ISOLATION=bubblewrap\n")
    assert done.returncode == 1
    assert "bubblewrap cannot make a user namespace" in done.stderr
    assert "user.max_user_namespaces" in done.stderr


def test_the_script_passes_sigterm_on_and_waits_for_the_worker(tmp_path):
    """The launcher stands for a worker: it asks for SIGTERM, and ends a moment later."""
    launcher = tmp_path / "launcher"
    launcher.write_text(
        "#!/bin/bash\n"
        "[[ $* == *celery\\ --quiet* ]] || exit 0\n"
        "trap 'sleep 0.2; echo drained; exit 0' TERM\n"
        "kill -TERM $PPID\n"
        "while :; do sleep 0.05; done\n"
    )
    launcher.chmod(0o755)
    done = run_script(tmp_path, f"COURT_HOME={tmp_path}\nCOURT_LAUNCHER={launcher}\nWARPCOURT_TARGET=cpu\n")
    assert (done.returncode, done.stdout) == (0, "drained\n")


def test_settings_are_named(tmp_path):
    done = subprocess.run(
        ["bash", str(WORKER)],
        capture_output=True,
        text=True,
        check=False,
        env={"COURT_PAUSE_S": "0", "PATH": "/usr/bin:/bin"},
    )
    assert "pass a file in a shared folder" in done.stderr
