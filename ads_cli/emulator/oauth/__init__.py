"""Sign-in: request tokens, the authorize page, access tokens, bearer tokens, and grants of OAuth 2.0."""
