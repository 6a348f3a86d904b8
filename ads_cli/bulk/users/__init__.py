"""Lists of people: identifiers made comparable and hashed, packed into operations, sent until all are in."""
