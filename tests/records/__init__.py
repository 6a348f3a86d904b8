"""Files of several records: batches of operations."""
