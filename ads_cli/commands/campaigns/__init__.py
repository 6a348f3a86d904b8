"""Campaigns: their trees, their files, copies of them, activation; and what ads refer to."""
