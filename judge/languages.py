"""The languages that this installation can judge on its processors."""

from importlib.util import find_spec

from problems.vocabulary import Language


def languages_here() -> tuple[Language, ...]:
    """The languages that this installation can judge: those with PyTorch are optional."""
    with_triton = all(find_spec(name) for name in ("torch", "triton"))
    return tuple(Language) if with_triton else (Language.CUDA,)


def runner_kind(language: Language) -> str:
    """Return the kind of sandbox that runs programs in `language`. Both languages with PyTorch share one."""
    return Language.TRITON.value if language is Language.PYTHON else language.value
