"""What only product feeds have: kinds, assembly of products from several rows, transforms and fixes."""
