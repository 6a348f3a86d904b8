"""Sign, send, retry and rate-limit requests; nothing here knows of products."""
