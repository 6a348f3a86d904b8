"""Handlers of the declared endpoints, one module per resource."""

# The modules that register handlers.
MODULES = (
    "accounts",
    "history",
    "campaigns",
    "line_items",
    "targeting",
    "promoted",
    "audiences",
    "audience_users",
    "audience_insights",
    "lookup",
    "media",
    "media_uploads",
    "cards",
    "posts",
    "catalogs",
    "products",
    "measurement",
    "ab_tests",
    "statistics",
)
