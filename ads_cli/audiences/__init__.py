"""Customer lists: identifiers, columns, operations, packing and their upload."""
