"""The languages that this installation can judge on its processors."""

from importlib.util import find_spec

from problems.vocabulary import Language


def languages_here() -> tuple[Language, ...]:
    """The languages that this installation can judge: Triton is optional."""
    with_triton = all(find_spec(name) for name in ("torch", "triton"))
    return (Language.CUDA, Language.TRITON) if with_triton else (Language.CUDA,)
