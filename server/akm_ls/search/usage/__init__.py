"""How much assets are used: events on this machine, and what they come to."""

from akm_ls.search.usage.store import UsageEvent, UsageStore
from akm_ls.search.usage.utility import MAX_FACTOR, UseKind, utility_factor, utility_of

__all__ = ["MAX_FACTOR", "UsageEvent", "UsageStore", "UseKind", "utility_factor", "utility_of"]
