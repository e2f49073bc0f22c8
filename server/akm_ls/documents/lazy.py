"""A value that is computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):
    """`functools.cached_property` without its lock, which all instances share until Python 3.12.

    There, whoever asks one document waits until another thread is done with another document.
    Two threads that ask the same one at once both compute.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> lazy[T] | T:
        if instance is None:
            return self
        # Not a data descriptor: from now on the instance's own attribute is found first.
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
