"""Storage: one SQLite file; one module per table."""
