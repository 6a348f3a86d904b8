"""Conversions of a website, read from a file and sent."""
