"""Mutants: small mistakes in the code, each of which a test must catch."""
