"""The generic push: plan, batches, journal, jobs and summary; nothing here knows of the console."""
