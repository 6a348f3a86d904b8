"""Fix values that break a rule of products, where `--fix` asks for it."""
