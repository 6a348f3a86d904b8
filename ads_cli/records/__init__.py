"""Files of several records: read, validated whole, and sent many to a request."""
