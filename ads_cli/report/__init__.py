"""One self-contained page in HTML: what a run came to, for a browser."""
