"""Statistics: queries, how they are cut into requests and jobs, and the rows that they come to."""
