"""Options that convert a feed."""
