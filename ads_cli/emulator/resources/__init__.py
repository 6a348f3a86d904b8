"""Handlers of the declared endpoints, one module per resource; they register when they are imported."""
