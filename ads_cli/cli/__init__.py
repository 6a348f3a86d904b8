"""The command tree, the commands generated from declared requests, and the error boundary."""
