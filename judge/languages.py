"""The languages that this installation can judge on its processors."""

from importlib.util import find_spec

from problems.vocabulary import Language


def languages_here() -> tuple[Language, ...]:
    """The languages that this installation can judge: those with PyTorch are optional."""
    with_triton = all(find_spec(name) for name in ("torch", "triton"))
    return tuple(Language) if with_triton else (Language.CUDA,)


def runner_kind(language: Language) -> str:
    """Which kind of sandbox runs programs in `language`. One runner has both that need PyTorch."""
    return Language.TRITON.value if language is Language.PYTHON else language.value
