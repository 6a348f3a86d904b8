"""How results and messages are shown; nothing here knows the service."""
