"""Commands that take more than one request: each parses, calls, shows; nothing else."""
