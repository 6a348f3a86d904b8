"""What every handler stands on: routing, signatures, storage, responses, limits and faults."""
