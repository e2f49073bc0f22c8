"""Context packs: what an agent needs to know for a query, cited, redacted and within a budget."""

from akm_ls.search.context_pack.build import build_pack
from akm_ls.search.context_pack.pack import ContextPack
from akm_ls.search.context_pack.request import PackError, PackRequest

__all__ = ["ContextPack", "PackError", "PackRequest", "build_pack"]
