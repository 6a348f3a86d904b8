"""Uploads of any kind: read -> check -> pack -> send -> journal -> report."""
