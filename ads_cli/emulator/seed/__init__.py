"""The first world of the emulator: accounts, campaigns, creatives and a catalog."""
