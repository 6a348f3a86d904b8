"""A catalog becomes what a feed says: what differs, and how it is carried out."""
