"""The Language Server Protocol floor: transport, open buffers, and one module per feature.

Nothing is imported here: `startup` has to run before lsprotocol is loaded.
"""
