"""Kinds of product feeds: how each is recognized, and what its columns are."""
