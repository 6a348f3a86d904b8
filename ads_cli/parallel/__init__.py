"""Work in threads, with the results in order, and in worker processes."""
