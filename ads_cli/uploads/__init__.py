"""The generic push: plan, batches, journal, jobs, locks and summary; nothing here knows of the console."""
