"""Compiles one submission for GPUs. Runs inside a compile sandbox that was started ahead.

Theory of operation. The server reports ready on descriptor 3 (sandbox/wire.py) and waits for LOAD, with these
descriptors:

    report      a memory file that gets the outcome as JSON: `CompileReport`
    solution    solution.cu
    binding     binding.cu, which includes it and is what is compiled
    recipe      recipe.json: which steps to run
    artifact    a memory file that gets the shared object, if there is one

The server runs the steps (sandbox/chains.py), writes the two memory files, and answers. The verdict does not
depend on more. Then the server writes the listings `listing.ptx` and `listing.sass` into the working
directory, and the host collects them after the sandbox has ended. No code of the submission runs here, but a
submission may exploit the compilers, so the host treats all output as hostile. Standard library only.
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sandbox.chains import BROKEN, SUBMISSION, Chains, StepFailed, run
from sandbox.gpu.compile.recipe import DeviceSteps, GpuCompileRecipe
from sandbox.wire import receive_request, send_reply

MAX_ARTIFACT_BYTES = 64 << 20
MAX_LISTING_BYTES = 512 << 10
MAX_LOG_CHARACTERS = 80_000
MAX_RESOURCE_CHARACTERS = 200_000
HOME = Path("/warpcourt")
LISTING_S = 20.0
_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_CHANNEL = 3


@dataclass(frozen=True)
class CompileReport:
    """The result of a compilation: status 0, REJECTED or BROKEN, with the compilers' log.

    `ptxas` and `usage` hold the output of ptxas and cuobjdump per kernel, and `names` the readable names.
    """

    status: int
    log: str
    ptxas: str = ""
    usage: str = ""
    names: dict[str, str] = field(default_factory=dict)


class GpuChains(Chains):
    """The chains of one recipe: a device binary for each architecture, all in one artifact."""

    def __init__(self, recipe: GpuCompileRecipe) -> None:
        super().__init__(recipe.host, recipe.environment, HOME)
        self._recipe = recipe
        self.ptxas = ""
        self.usage = ""

    def device(self) -> str:
        """Make fatbin.o; returns the warnings."""
        devices = self._recipe.devices
        try:
            with ThreadPoolExecutor(len(devices)) as pool:
                said = list(pool.map(self._one_device, devices))
        finally:
            self.stub_written.set()
        run(self._recipe.fatbinary, self.environment, BROKEN)
        run(self._recipe.embed, self.environment, BROKEN)
        return "".join(said)

    def link(self) -> None:
        """Link solution.so; undefined symbols are an error."""
        run(self._recipe.link, self.environment)

    def _one_device(self, device: DeviceSteps) -> str:
        run(device.preprocess, self.environment)
        said = run(device.front, self.environment)
        if str(self.stub) in device.front:  # the host's code includes this one of the stubs
            self.stub_written.set()
        assembler = run(device.assemble, self.environment)
        if device.link:
            run(device.link, self.environment)
        if device is self._recipe.devices[0]:
            self.ptxas = assembler
            if self._recipe.usage:
                with contextlib.suppress(StepFailed):  # a second opinion, not a need
                    self.usage = run([*self._recipe.usage, device.cubin], self.environment)
        return said + _warnings(assembler)


def _warnings(assembler: str) -> str:
    """Return the warnings of ptxas, without the lines about resources."""
    lines = assembler.splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith("ptxas") and "info" not in line.split(":")[0])


def _compile(recipe: GpuCompileRecipe) -> CompileReport:
    chains = GpuChains(recipe)
    status, log = chains.compile()
    mangled = list(dict.fromkeys(_ENTRY.findall(chains.ptxas)))
    return CompileReport(
        status,
        log[:MAX_LOG_CHARACTERS],
        chains.ptxas[:MAX_RESOURCE_CHARACTERS],
        chains.usage[:MAX_RESOURCE_CHARACTERS],
        _readable(mangled),
    )


def _readable(mangled: Sequence[str]) -> dict[str, str]:
    try:
        text = run(["c++filt", "-p", *mangled[:64]], dict(os.environ)) if mangled else ""
    except (StepFailed, OSError):
        return {}
    return dict(zip(mangled, text.splitlines(), strict=False))


def _hand_over(path: Path, descriptor: int) -> None:
    """Copy a file, at most one byte more than is allowed: then the host sees that it is too large."""
    with path.open("rb") as source:
        left = MAX_ARTIFACT_BYTES + 1
        while left and (sent := os.sendfile(descriptor, source.fileno(), None, left)):
            left -= sent


def _read(descriptor: int) -> bytes:
    with open(descriptor, "rb") as file:
        file.seek(0)
        return file.read()


def _list(recipe: GpuCompileRecipe) -> None:
    """Write the listings of the first architecture, each cut at its bound."""
    device = recipe.devices[0]
    Path("listing.ptx").write_bytes(Path(device.ptx).read_bytes()[:MAX_LISTING_BYTES])
    if not recipe.disassemble:
        return
    with Path("listing.sass").open("wb") as listing, contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [*recipe.disassemble, device.cubin],
            env={**os.environ, **recipe.environment},
            stdin=subprocess.DEVNULL,
            stdout=listing,
            stderr=subprocess.DEVNULL,
            timeout=LISTING_S,
            check=False,
        )
        os.truncate(listing.fileno(), min(MAX_LISTING_BYTES, os.fstat(listing.fileno()).st_size))


def main() -> int:
    """Serve one LOAD. The exit status is that of the report."""
    channel = socket.socket(fileno=_CHANNEL)
    send_reply(channel, 0)
    received = receive_request(channel)
    if received is None:
        return 0
    request, descriptors = received
    report_file, solution, binding, recipe_file, artifact = descriptors
    Path(SUBMISSION).write_bytes(_read(solution))
    Path("binding.cu").write_bytes(_read(binding))
    recipe = GpuCompileRecipe.from_json(_read(recipe_file).decode())
    for name, text in recipe.files.items():
        Path(name).write_text(text)
    report = _compile(recipe)
    if report.status == 0:
        _hand_over(Path("solution.so"), artifact)
    with os.fdopen(report_file, "wb") as file:
        file.write(json.dumps(asdict(report)).encode())
    send_reply(channel, request.sequence)
    if report.status == 0:
        _list(recipe)
    return report.status


if __name__ == "__main__":
    sys.exit(main())
