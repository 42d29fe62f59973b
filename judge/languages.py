"""The languages that this installation can judge on CPUs."""

from importlib.util import find_spec

from problems.libraries import LINKED
from problems.schema import ProblemLimits
from problems.vocabulary import Language

LIBRARIES_RUNNER = "cuda-libraries"  # runs CUDA programs that may use libraries, if these need an image


def languages_here() -> tuple[Language, ...]:
    """Return the languages that this installation can judge. Languages that need PyTorch are optional."""
    with_triton = all(find_spec(name) for name in ("torch", "triton"))
    return tuple(Language) if with_triton else (Language.CUDA,)


RANKS_RUNNER = "ranks"  # runs Python programs with ranks


def runner_kind(language: Language, *, ranks: int = 1) -> str:
    """Return the kind of sandbox that runs programs in `language`.

    Programs with ranks have their own kind. Other programs in Triton and PyTorch share one.
    """
    if ranks > 1:
        return RANKS_RUNNER
    return Language.TRITON.value if language is Language.PYTHON else language.value


def uses_libraries(language: Language, limits: ProblemLimits) -> bool:
    """Return whether programs can be linked with libraries. Their runner then needs the libraries too."""
    return language is Language.CUDA and any(library in LINKED for library in limits.libraries or ())
