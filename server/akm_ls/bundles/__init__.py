"""Bundles: where they lie, which format they have, and which of their files are assets."""
