"""What is measured, against what, with one command: make bench."""
