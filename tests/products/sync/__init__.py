"""Diff and sync."""
