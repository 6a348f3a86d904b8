"""Sign-in: request tokens, the authorize page, access tokens, bearer tokens, and grants of OAuth 2.0."""

# The modules that register handlers.
MODULES = (
    "request_tokens",
    "authorize",
    "grants",
    "apps",
)
