"""The steps that convert rows between reading and validation."""
