"""The pages of --report, made of what commands came to."""
