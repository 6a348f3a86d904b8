"""Reference material generated from the command tree: completion scripts, docs/commands.md, man pages."""
