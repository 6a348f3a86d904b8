"""Products that several rows of an export make together, a module for each kind of export."""
