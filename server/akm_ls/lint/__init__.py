"""Rules and fixes. One rule is one small unit; `engine.lint` runs them over one document.

The same call serves the squiggles in an editor and ``akm-ls check``.
"""
