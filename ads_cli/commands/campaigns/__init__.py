"""Campaigns: their trees, their files, copies of them, activation; cards and targeting values that ads use."""
