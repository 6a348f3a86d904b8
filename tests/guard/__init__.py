"""Claims about the guard."""
