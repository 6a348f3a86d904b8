"""What is on the disk after a power failure at any moment, and what adsctl makes of it."""
