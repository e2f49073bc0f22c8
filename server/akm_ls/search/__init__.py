"""Finding and showing assets: query plans, ranking, search results, one asset, its citations.

Everything takes a `Library`: the index, the catalog, the bundles and the open documents.
"""

from akm_ls.search.library import Cancelled, Library
from akm_ls.search.request import RequestError, SearchRequest

__all__ = ["Cancelled", "Library", "RequestError", "SearchRequest"]
