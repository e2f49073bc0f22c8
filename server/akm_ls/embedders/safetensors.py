"""The safetensors format: a length, a JSON header, and arrays one after the other."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from akm_ls.embedders.embedder import EmbeddingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_HEADER_BYTES = 16 * 1024 * 1024
_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U8": "|u1",
}
_BYTES = {"<f8": 8, "<f4": 4, "<f2": 2, "<i8": 8, "<i4": 4, "<i2": 2, "|i1": 1, "|u1": 1}


@dataclass(frozen=True, slots=True)
class Tensor:
    """One array in the file; ``offset`` is in bytes from the file's start, ``dtype`` numpy's."""

    dtype: str
    shape: tuple[int, ...]
    offset: int


def tensors(path: str) -> dict[str, Tensor]:
    """What is in a file, by name, without reading the arrays.

    Raises:
        EmbeddingError: it is not such a file, or is cut off.
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(8)
            length = int.from_bytes(head, "little")
            if len(head) < 8 or length > min(size - 8, MAX_HEADER_BYTES):
                raise EmbeddingError(f"{path} is not a safetensors file, or is cut off")
            header = json.loads(file.read(length))
    except OSError as error:
        raise EmbeddingError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise EmbeddingError(f"{path} is not a safetensors file") from None
    if not isinstance(header, Mapping):
        raise EmbeddingError(f"{path} is not a safetensors file")
    start = 8 + length
    return {
        str(name): _tensor(path, str(name), value, start, size)
        for name, value in header.items()
        if name != "__metadata__"
    }


def _tensor(path: str, name: str, value: Any, start: int, size: int) -> Tensor:
    try:
        kind, shape = value["dtype"], [int(number) for number in value["shape"]]
        first, last = (int(number) for number in value["data_offsets"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise EmbeddingError(f"{path}: {name!r:.60} is not described as an array") from None
    dtype = _TYPES.get(kind) if isinstance(kind, str) else None
    if dtype is None:
        raise EmbeddingError(f"{path}: {name!r:.60} has numbers of type {kind!r:.20}, not usable")
    needed = math.prod(shape) * _BYTES[dtype]
    if min([0, *shape]) < 0 or not 0 <= first <= last or last - first != needed:
        raise EmbeddingError(f"{path}: the description of {name!r:.60} contradicts itself")
    if start + last > size:
        raise EmbeddingError(f"{path} is cut off: {name!r:.60} is not all there")
    return Tensor(dtype, tuple(shape), start + first)


def mapped(path: str, tensor: Tensor) -> NDArray[Any]:
    """An array of the file, read from disk only where it is looked at.

    Raises:
        EmbeddingError: the file cannot be read.
    """
    import numpy as np

    if not math.prod(tensor.shape):
        return np.zeros(tensor.shape, dtype=tensor.dtype)
    try:
        return np.memmap(
            path, dtype=tensor.dtype, mode="r", offset=tensor.offset, shape=tensor.shape
        )
    except (OSError, ValueError) as error:
        raise EmbeddingError(f"{path} cannot be read ({type(error).__name__})") from None
