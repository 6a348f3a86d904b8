"""Media on its way to the service: what files are, and the rules of their uses."""
