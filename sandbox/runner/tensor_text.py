"""Formats tensors as text for programs that print. PyTorch's own formatting would compute on the tensor."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

_MOST_ELEMENTS = 1000  # of more, the first few of the first row are shown
_FIRST = 6


def text_of(tensor: torch.Tensor, **_: object) -> str:
    """`tensor([1., 2.], dtype=torch.float32)`; of large ones the first elements and the shape."""
    details = f"dtype={tensor.dtype}" + ("" if tensor.is_cpu else f", device='{tensor.device}'")
    shape = tuple(tensor.shape)
    if tensor.is_meta or not tensor.numel():
        return f"tensor({'...' if tensor.numel() else []}, shape={shape}, {details})"
    if tensor.numel() <= _MOST_ELEMENTS:
        return f"tensor({np.array2string(_values(tensor), separator=', ', prefix='tensor(')}, {details})"
    while tensor.dim() > 1:
        tensor = tensor[0]
    first = np.array2string(_values(tensor[:_FIRST]), separator=", ").rstrip("]")
    return f"tensor({first}, ...], shape={shape}, {details})"


def _values(tensor: torch.Tensor) -> npt.NDArray[Any]:
    """Its elements, one by one: a view cannot be brought to the host by a copy that keeps their order."""
    elements = [tensor[index].item() for index in np.ndindex(tuple(tensor.shape))]
    kind = {torch.float16: np.float16, torch.float32: np.float32, torch.bfloat16: np.float32}
    return np.array(elements, kind.get(tensor.dtype)).reshape(tensor.shape)
