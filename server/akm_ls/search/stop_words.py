"""English words that say nothing about what is looked for."""

from __future__ import annotations

_WORDS = """
    a about after again all also am an and any are as at be because been before being between both
    but by can could did do does doing done down for from get give had has have having he her here
    him his how i if in into is it its itself just let like make me more most much must my need no
    nor not now of off on once only or other our ours out over own please put same she should show
    so some such tell than that the their theirs them then there these they this those through to
    too under until up us use using very want was way we were what when where whether which while
    who whom whose why will with within without would you your yours
"""

STOP_WORDS = frozenset(_WORDS.split())
"""A query of nothing else keeps them."""
