"""Sign-in: request tokens, the authorize page, access tokens and bearer tokens."""

# The modules that register handlers.
MODULES = (
    "request_tokens",
    "authorize",
    "bearer",
)
