"""Time, so that tests need not wait for it."""

from __future__ import annotations

import asyncio
from typing import Protocol


class Clock(Protocol):
    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The real one."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
