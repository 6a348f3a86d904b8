"""Product uploads, pull, verification, and the sync state that --changed compares with."""
