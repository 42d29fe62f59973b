"""A program that inspects its sandbox, and the results that backends must show to pass `verify`."""

from dataclasses import replace

from sandbox.backend import Backend, IsolationUnavailable
from sandbox.spec import Command, Completion, Image, Limits, Termination

_SCRIPT = """
id -u
cat /proc/self/status
echo "Network: $(tail -n +3 /proc/net/dev | cut -d: -f1 | xargs)"
echo "Init: $(cat /proc/1/comm)"
touch /usr/probe 2>/dev/null && echo Writable
touch /probe 2>/dev/null && echo Writable
exit 0
"""
_PROBE = Command(
    argv=("/bin/sh", "-c", _SCRIPT),
    limits=Limits(wall_s=20, cpu_s=10, memory_mib=64, tmpfs_mib=8),
    environment={"PATH": "/usr/bin:/bin"},
    label="probe",
)
_PATIENCE_S = 30.0


def probe(backend: Backend, *, identities: range, init: str, image: Image = Image.CUDA) -> None:
    """Start it; it must run as one of `identities` under an `init` of that name.

    Raises IsolationUnavailable if it cannot be started, or sees more than it should.
    """
    process = backend.start(replace(_PROBE, image=image))
    try:
        completion = process.wait(_PATIENCE_S)
    except TimeoutError as error:
        raise IsolationUnavailable("a probe sandbox did not end; is the machine overloaded?") from error
    finally:
        process.close()
    judge(completion, identities=identities, init=init)


def judge(completion: Completion, *, identities: range, init: str) -> None:
    """Raise IsolationUnavailable unless the probe's report is as required."""
    said = completion.stdout.decode(errors="replace")
    if completion.ending is not Termination.EXITED or completion.status != 0:
        raise IsolationUnavailable(
            f"a probe sandbox {completion.ending} with status {completion.status}: "
            + completion.stderr.decode(errors="replace").strip()
        )
    if said.partition("\n")[0] not in map(str, identities):
        raise IsolationUnavailable("a probe sandbox is not isolated: the program does not run as nobody")
    for words, complaint in (
        ("NoNewPrivs:\t1\n", "no_new_privs is not set"),
        ("Seccomp:\t2\n", "the system call filter is not loaded; the kernel needs CONFIG_SECCOMP_FILTER"),
        ("CapEff:\t0000000000000000\n", "the program holds capabilities"),
        ("CapBnd:\t0000000000000000\n", "the program could gain capabilities"),
        ("Network: lo\n", "the program sees network interfaces of the host"),
        (f"Init: {init}\n", "the program sees processes of the host"),
    ):
        if words not in said:
            raise IsolationUnavailable(f"a probe sandbox is not isolated: {complaint}")
    if "Writable" in said:
        raise IsolationUnavailable("a probe sandbox is not isolated: its root is writable")
