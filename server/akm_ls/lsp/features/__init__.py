"""One module per feature of the protocol."""
