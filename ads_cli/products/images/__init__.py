"""Look at the images that products link to: format, pixels and bytes."""
