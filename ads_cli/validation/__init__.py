"""Rows against declared rules: validator, report, duplicates and worker processes."""
