"""Inspects the compilers of a compile sandbox and builds shared files. Runs inside the sandbox.

    python -m sandbox.gpu.compile.prepare learn NVCC ARCHITECTURES FLAG...   prints `Learned` as JSON
    python -m sandbox.gpu.compile.prepare build                              reads it from learned.json

`build` leaves `prefix*.h`, `prefix*.h.gch` and `finish.o` in the working directory, for the host to collect.
Nothing foreign has run in this sandbox, so the host may believe what it says. Standard library only.
"""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.gpu.compile.recipe import FINISH_OBJECT, GpuCompileRecipe, learn_recipe
from sandbox.nvcc_steps import StepsUnknown
from sandbox.precompile import HostSteps

HOME = "/warpcourt"
_FINISH = Path(__file__).with_name("finish.cpp")
_TOOL_S = 120.0
_REFUSED = 10


@dataclass(frozen=True)
class Learned:
    """The recipe and the versions of the compilers, by name."""

    recipe: GpuCompileRecipe
    versions: dict[str, str]

    def to_json(self) -> str:
        """For the host."""
        return json.dumps({"recipe": asdict(self.recipe), "versions": self.versions})

    @classmethod
    def from_json(cls, text: str) -> "Learned":
        """Rebuild the value from the output of `to_json`."""
        body = json.loads(text)
        return cls(GpuCompileRecipe.from_json(json.dumps(body["recipe"])), body["versions"])


def learn(nvcc: str, architectures: list[str], flags: list[str]) -> Learned:
    """Return the installed versions and the compilation recipe. Raises StepsUnknown."""
    found = shutil.which(nvcc)
    if found is None:
        raise StepsUnknown(
            f"{nvcc} was not found in the compile sandbox; its image must have CUDA's compilers"
        )
    if shutil.which("g++") is None:
        raise StepsUnknown("g++ was not found in the compile sandbox; its image must have a host compiler")
    version = re.search(r"\bV([\d.]+)", _say([found, "--version"]))
    return Learned(
        learn_recipe(found, architectures, flags, home=HOME),
        {
            "nvcc": version[1] if version else "unknown",
            "g++": _say(["g++", "-dumpfullversion"]).strip(),
        },
    )


def build(recipe: GpuCompileRecipe, folder: Path) -> None:
    """Write what compilations share into `folder`. Raises CalledProcessError."""
    include = Path(recipe.root) / "include"
    argv = ["g++", "-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", f"-I{include}"]
    _say([*argv, "-c", str(_FINISH), "-o", str(folder / FINISH_OBJECT)])
    scratch = folder / "scratch"
    scratch.mkdir()
    HostSteps(recipe.host, recipe.environment, recipe.files).precompile(folder, scratch)


def _say(argv: list[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=_TOOL_S, check=True)
    return done.stdout


def main(argv: list[str]) -> int:
    """Run one of the two commands."""
    try:
        if argv[0] == "learn":
            nvcc, architectures, *flags = argv[1:]
            sys.stdout.write(learn(nvcc, architectures.split(","), flags).to_json())
        else:
            learned = Learned.from_json(Path("learned.json").read_text())
            build(learned.recipe, Path.cwd())
    except (StepsUnknown, subprocess.SubprocessError) as problem:
        sys.stderr.write(f"{problem}\n{getattr(problem, 'stderr', '')}")
        return _REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
