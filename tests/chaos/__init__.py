"""Chaos tests: pushes under random faults lose no row, send none twice, and report the truth."""
