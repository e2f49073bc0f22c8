"""One file's text and what is in it. Knows nothing of the file system.

Offsets are Python ``str`` offsets everywhere; `text.LineIndex` converts them at the edge.
"""
