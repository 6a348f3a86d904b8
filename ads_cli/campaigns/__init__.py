"""Campaigns as a file: read from an account, compared with it, and carried out."""
