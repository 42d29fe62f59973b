"""A cluster with workers as Slurm jobs: slurmctld and munge on the hub, and slurmd on each other host.

Theory of operation. Every host has a separate network, process table and name, so each runs an ordinary
slurmd. The hosts reach munge by the path of its socket. slurmctld, munge, the jobs and the autoscaler run as
unprivileged users; slurmd is root, because it starts the jobs of any user. Each node declares one GPU that
does not exist. No program of these tests uses it. Only the autoscaler submits workers.
"""

import os
import pwd
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from testing.services import need, wait_until
from tests.cluster.cluster import START_S, Cluster
from tests.cluster.hosts import HUB_ADDRESS, NETWORK, ROOT, Host, Program, program

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "scancel", "scontrol")
USER = "nobody"  # runs the jobs and the autoscaler
POOL = "test"
_OF_A_HOST = {"PATH", "TMPDIR", "DOCKER_HOST", "WARPCOURT_DATA_DIR", "WARPCOURT_IMPORTS_DIR"}
_CONF = """\
ClusterName=court
SlurmctldHost=hub({hub})
SlurmUser=slurm
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/state/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=6
KillWait=5
UnkillableStepTimeout=60
MinJobAge=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
SlurmdParameters=config_overrides
{nodes}
PartitionName=court Nodes=ALL Default=YES PriorityTier=1
PartitionName=urgent Nodes=ALL PriorityTier=2 PreemptMode=OFF
"""


def need_slurm() -> None:
    """Skip the test if Slurm is missing, or fail it in CI."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    need(not missing, f"Slurm ({', '.join(missing)})", "apt-get install slurmctld slurmd slurm-client munge")


class SlurmCluster(Cluster):
    """Hosts, services and site like those of `Cluster`, and Slurm."""

    def __init__(self, folder: Path, **options: Any) -> None:
        need_slurm()
        super().__init__(folder, **options)
        self.slurm = folder / "slurm"
        try:
            self._prepare()
            for host in (self.hub, *self.hosts):
                self._furnish(host)
            self._munged = self.hub.start(*self._munge(), environment={"PATH": os.environ["PATH"]})
            wait_until((self.slurm / "munge" / "socket").exists, "munge's start")
            self.start_slurmctld()
            self._slurmds: dict[str, Program] = {}
            self._autoscaler: Program | None = None
            for host in self.hosts:
                self.start_slurmd(host)
            wait_until(lambda: self.nodes("idle") == len(self.hosts), "the nodes of Slurm", START_S)
        except BaseException:
            self.close()
            raise

    # The daemons

    def start_slurmctld(self) -> None:
        """Start the controller and wait until it answers."""
        self.slurmctld = self.hub.start(
            *_become("slurm"), "slurmctld", "-D", environment=self._slurm_environment()
        )
        wait_until(self._slurmctld_answers, "slurmctld's start", START_S)

    def start_slurmd(self, host: Host) -> None:
        """Start the daemon of a node, as a boot does."""
        self._slurmds[host.name] = host.start(
            "slurmd", "-D", "-N", host.name, environment=self._slurm_environment()
        )

    def kill_node(self, host: Host) -> None:
        """Kill every process of a node at once: slurmd, and all that it started.

        Also tell Slurm, as the site's monitoring would. Slurm itself would notice only after a while.
        """
        while processes := host.processes():
            for pid in processes.values():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._slurmds.pop(host.name).wait()
        self.do("scontrol", "update", f"NodeName={host.name}", "State=DOWN", "Reason=killed", user="slurm")

    def restart_slurmctld(self) -> None:
        """Stop the controller, and start it again."""
        self.slurmctld.signal(signal.SIGTERM)
        self.slurmctld.wait()
        self.start_slurmctld()

    # Workers

    def start(self) -> None:
        """Start the autoscaler if it does not run. Wait until every node has a worker that serves."""
        for gate in self.gates.iterdir():
            gate.unlink()
        if self._autoscaler is None or not self._autoscaler.running:
            number = len(self.hosts)
            self._autoscaler = self.autoscale(f"--floor={number}", f"--ceiling={number}")
        for host in self.hosts:
            if host.name not in self._slurmds:  # a test failed
                self.start_slurmd(host)
        wait_until(self._all_serve, "a worker on every node", 2 * START_S)

    def autoscale(self, *options: str, **settings: str) -> Program:
        """Start an autoscaler that checks twice a second. Its workers get the additional `settings`."""
        return self.hub.start(
            *(*_become(USER), sys.executable, "manage.py", "slurmscale", str(self._write_settings(settings))),
            *(f"--pool={POOL}", "--queues=cpu,gpu", "--interval-s=0.5", "--jobs-per-worker=1", *options),
            *(f"--sbatch=--output={self.slurm}/logs/%N-%j.log", "--sbatch=--chdir=/"),
            environment=self.environment(self.hub)
            | self._slurm_environment()
            | {"WARPCOURT_DATA_DIR": str(self.slurm / "local" / "autoscaler"), "TMPDIR": "/tmp"},
        )

    def said(self, text: str) -> bool:
        """Return whether the current autoscaler logged `text`."""
        return self._autoscaler is not None and self._autoscaler.said(text)

    def stop_autoscaler(self) -> None:
        """Stop it, and cancel all workers."""
        if self._autoscaler is not None:
            self._autoscaler.signal(signal.SIGTERM)
            self._autoscaler.wait()
            self._autoscaler = None
        self.do("scancel", "-n", f"warpcourt-{POOL}")
        wait_until(lambda: not self.jobs(), "the end of all workers", START_S)

    def story(self, lines: int = 40) -> str:
        """Return the last log lines of hosts and jobs."""
        logs = sorted((self.slurm / "logs").iterdir()) if hasattr(self, "slurm") else []
        return "\n".join(
            [super().story(lines), *(f"-- {log.name} --\n{log.read_text()[-2000:]}" for log in logs[-6:])]
        )

    def _all_serve(self) -> bool:
        names = [host.name for host in self.hosts]
        return all(map(self.has_heartbeat, self.hosts)) and sorted(self.jobs("running").values()) == names

    def _strays(self, host: Host) -> list[str]:
        """Return the programs on a node that Slurm has not started."""
        found = []
        for pid in host.processes().values():
            with suppress(OSError):
                above = list(host.ancestors(pid))
                if not {"slurmd", "slurmstepd"} & {program(one) for one in above}:
                    found.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "))
        return found

    def _write_settings(self, other: dict[str, str]) -> Path:
        known = self.environment(self.hosts[0]) | {"WARPCOURT_STOP_GRACE_S": "2"} | other
        lines = [f"{name}={shlex.quote(value)}" for name, value in known.items() if name not in _OF_A_HOST]
        lines += [
            f"COURT_HOME={shlex.quote(str(ROOT))}",
            f'COURT_LOCAL={self.slurm}/local/"$SLURMD_NODENAME"',
            "COURT_PAUSE_S=1",
        ]
        path = self.slurm / f"settings-{len(list(self.slurm.glob('settings-*')))}"
        path.write_text("\n".join(lines) + "\n")
        return path

    # Commands

    def do(self, *argv: str, user: str = USER) -> str:
        """Return the output of a Slurm command that runs as `user`."""
        done = subprocess.run(
            [*self.hub.enter(), *_become(user), *argv],
            env=self._slurm_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(argv)}: {done.stderr or done.stdout}")
        return done.stdout

    def nodes(self, state: str) -> int:
        """Return the number of nodes in `state`."""
        return len(self.do("sinfo", "-h", "-N", "-p", "court", "-t", state, "-o", "%N").split())

    def jobs(self, state: str = "all") -> dict[int, str]:
        """Return the node of each job of the pool in `state`, by the job's id."""
        found = self.do("squeue", "-h", "-n", f"warpcourt-{POOL}", "-t", state, "-o", "%i %N")
        return {int(words[0]): " ".join(words[1:]) for words in map(str.split, found.splitlines())}

    def job_on(self, host: Host) -> int:
        """Return the job of the worker on `host`."""
        return next(job for job, node in self.jobs("running").items() if node == host.name)

    def _slurmctld_answers(self) -> bool:
        if not self.slurmctld.running:
            raise RuntimeError(self.story())
        try:
            return "UP" in self.do("scontrol", "ping")
        except RuntimeError:
            return False

    # Construction

    def _prepare(self) -> None:
        self.slurm.mkdir()
        for name, user in (("munge", USER), ("state", "slurm"), ("logs", USER), ("local", USER)):
            folder = self.slurm / name
            folder.mkdir(mode=0o755)
            shutil.chown(folder, user)
        (self.slurm / "munge" / "key").write_bytes(os.urandom(64))
        (self.slurm / "munge" / "key").chmod(0o400)
        shutil.chown(self.slurm / "munge" / "key", USER)
        nodes = "\n".join(
            f"NodeName={host.name} NodeAddr={NETWORK}.{number} CPUs=1 RealMemory=512 Gres=gpu:1"
            for number, host in enumerate(self.hosts, start=2)
        )
        (self.slurm / "slurm.conf").write_text(_CONF.format(hub=HUB_ADDRESS, folder=self.slurm, nodes=nodes))
        names = [f"127.0.0.1 localhost\n{HUB_ADDRESS} hub\n"]
        names += [f"{NETWORK}.{number} {host.name}\n" for number, host in enumerate(self.hosts, start=2)]
        (self.slurm / "hosts").write_text("".join(names))
        (self.slurm / "gres.conf").write_text("Name=gpu File=/dev/null\n")

    def _furnish(self, host: Host) -> None:
        """Give `host` the names of all hosts, and let every user reach Python and this checkout."""
        host.run("mount", "--bind", str(self.slurm / "hosts"), "/etc/hosts")
        tops = {folder: _closed(folder) for folder in (Path(sys.base_prefix), ROOT)}
        opened = {folder: self.slurm / f"open-{host.name}{folder}" for folder, top in tops.items() if top}
        steps = [
            *(f"mkdir -p {there} && mount --bind {folder} {there}" for folder, there in opened.items()),
            *(f"mount -t tmpfs -o mode=755,size=1m open {tops[folder]}" for folder in opened),
            *(f"mkdir -p {folder} && mount --bind {there} {folder}" for folder, there in opened.items()),
        ]
        # One command, because it loses its working directory in between.
        host.run("sh", "-ec", "\n".join(dict.fromkeys(steps)))

    def _munge(self) -> list[str]:
        folder = self.slurm / "munge"
        files = {
            "key-file": "key",
            "socket": "socket",
            "pid-file": "pid",
            "log-file": "log",
            "seed-file": "seed",
        }
        return [
            *_become(USER),
            *("munged", "--foreground", "--num-threads=2"),
            *(f"--{option}={folder / name}" for option, name in files.items()),
        ]

    def _slurm_environment(self) -> dict[str, str]:
        return {"PATH": f"/usr/sbin:/sbin:{os.environ['PATH']}", "SLURM_CONF": str(self.slurm / "slurm.conf")}


def _closed(folder: Path) -> Path | None:
    """Return the first folder on the path to `folder` that some users may not enter; None without one."""
    closed = (above for above in reversed(folder.parents) if not above.stat().st_mode & 0o001)
    return next(closed, None)


def _become(user: str) -> list[str]:
    who = pwd.getpwnam(user)
    return ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups"]
