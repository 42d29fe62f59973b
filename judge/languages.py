"""The languages that this installation can judge on its processors."""

from importlib.util import find_spec

from problems.libraries import LINKED
from problems.schema import ProblemLimits
from problems.vocabulary import Language

LIBRARIES_RUNNER = "cuda-libraries"  # runs CUDA programs that may use libraries, where these need an image


def languages_here() -> tuple[Language, ...]:
    """The languages that this installation can judge: those with PyTorch are optional."""
    with_triton = all(find_spec(name) for name in ("torch", "triton"))
    return tuple(Language) if with_triton else (Language.CUDA,)


def runner_kind(language: Language) -> str:
    """Return the kind of sandbox that runs programs in `language`. Both languages with PyTorch share one."""
    return Language.TRITON.value if language is Language.PYTHON else language.value


def uses_libraries(language: Language, limits: ProblemLimits) -> bool:
    """Whether programs can be linked with libraries. If they are, their runner needs the libraries too."""
    return language is Language.CUDA and any(library in LINKED for library in limits.libraries or ())
