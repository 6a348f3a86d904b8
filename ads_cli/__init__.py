"""adsctl: manage an advertising service from the terminal."""

__version__ = "0.1.0"
