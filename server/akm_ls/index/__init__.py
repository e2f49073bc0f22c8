"""The index: an SQLite file of everything the bundles hold, and the catalog kept in memory."""
