"""Sign-in: request tokens, the authorize page, access tokens and bearer tokens."""
