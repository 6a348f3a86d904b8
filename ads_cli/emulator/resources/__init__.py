"""One handler for each declared endpoint."""
