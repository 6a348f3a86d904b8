"""Bytes in, rows out: sources, compression, formats and the writer."""
