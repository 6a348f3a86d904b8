"""HTTP: requests, responses, routing, signatures, rate limits, paging and faults."""
