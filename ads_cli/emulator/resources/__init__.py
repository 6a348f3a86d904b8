"""Handlers of the declared endpoints, one module per resource."""
