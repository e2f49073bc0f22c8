"""akm-ls: the language server for agent skills and knowledge bundles."""

__version__ = "0.1.0"
