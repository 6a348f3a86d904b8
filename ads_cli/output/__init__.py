"""Results on stdout and messages on stderr; knows nothing of the service."""
