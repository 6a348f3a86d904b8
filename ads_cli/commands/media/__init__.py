"""Media: check files, and upload them."""
