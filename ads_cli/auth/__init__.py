"""Where secrets live, and how they are got."""
