"""Sign, send, retry and rate-limit requests; knows nothing of products."""
