"""The library for agents: the Model Context Protocol over stdio.

`tools` says what is offered, and is read by tests and by other clients; only `server` loads the
SDK, which is an extra.
"""
