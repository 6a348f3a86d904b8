"""What is written of the command tree: completion scripts, the command reference, man pages."""
