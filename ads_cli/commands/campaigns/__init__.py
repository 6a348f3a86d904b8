"""Campaigns: their trees, their files, copies of them, and activation."""
