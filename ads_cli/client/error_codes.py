"""The error codes of the advertising API: the status of each, and what the user can do about it.

The status decides the exit code. A code in a response with status 200 counts as its own status.
"""

CODES_BY_STATUS = {
    400: """
        DUPLICATE_TWEET EXCLUSIVE_PARAMETERS FEATURE_NOT_AVAILABLE ILLEGAL_CHARACTERS INCLUSIVE_PARAMETERS
        INCOMPATIBLE_LINE_ITEM INVALID_DENOMINATION INVALID_FUNDING_INSTRUMENT INVALID_IMAGE INVALID_MEDIA
        INVALID_MEDIA_ID INVALID_PARAMETER INVALID_PLACEMENT_TYPE INVALID_TAILORED_AUDIENCE_TYPE
        INVALID_TARGETING_TYPE INVALID_TIME_WINDOW INVALID_TV_SHOW_LOCATIONS INVALID_TWEET INVALID_USER
        INVALID_USER_ID MISSING_PARAMETER REQUEST_TOO_COMPLEX SPEND_EXCEEDS_BUDGET TOO_MANY_CAMPAIGNS
        TOO_MANY_LINE_ITEMS TV_SHOW_OUTSIDE_MARKET TWEET_CANNOT_BE_BLANK UNKNOWN_CARD_TYPE
        UNKNOWN_CRITERIA_TYPE
    """,
    401: "UNAUTHORIZED_ACCESS",
    403: """
        ACCOUNT_LOCKED_OUT ACCOUNT_NOT_FOUND ACTION_NOT_ALLOWED CURRENT_USER_SUSPENDED
        FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT
        GENERIC_TWEET_ERROR MALWARE_STATUS READONLY_CLIENT_APPLICATION TWEET_IS_SPAM
        UNAUTHORIZED_CLIENT_APPLICATION USER_NOT_FOUND
    """,
    404: """
        ACCOUNT_MEDIA_NOT_FOUND APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND APP_EVENT_TAG_NOT_FOUND
        BEHAVIOR_OR_BEHAVIOR_EXPANDED_NOT_FOUND CAMPAIGN_NOT_FOUND CARD_NOT_FOUND FUNDING_INSTRUMENT_NOT_FOUND
        INVALID_APP_ID INVALID_APP_STORE INVALID_IAB_CATEGORY INVALID_ID_ILLEGAL_CHARACTERS
        LINE_ITEM_APP_NOT_FOUND LINE_ITEM_NOT_FOUND MACT_APP_NOT_FOUND MEDIA_CREATIVE_NOT_FOUND
        MEDIA_NOT_FOUND NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION NOT_FOUND PROMOTABLE_USER_NOT_FOUND
        PROMOTED_ACCOUNT_NOT_FOUND PROMOTED_TWEET_NOT_FOUND ROUTE_NOT_FOUND
        TAILORED_AUDIENCE_CHANGE_FILE_NOT_FOUND TAILORED_AUDIENCE_NOT_FOUND
        TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND TARGETING_CRITERION_NOT_FOUND
        TWEET_NOT_FOUND WEB_EVENT_TAG_NOT_FOUND
    """,
    405: "METHOD_NOT_ALLOWED",
    408: "CANCELLED_REQUEST",
    423: "LOCK_ACQUISITION_TIMEOUT",
    429: "TOO_MANY_REQUESTS TWEET_RATE_LIMIT_EXCEEDED",
    500: "INTERNAL_ERROR",
    503: "SERVICE_UNAVAILABLE OVER_CAPACITY",
}
STATUSES = {code: status for status, codes in CODES_BY_STATUS.items() for code in codes.split()}
# What a problem may name in its title or detail; each has a hint.
WEBHOOK_FAILURES = (
    "CrcValidationFailed",
    "DuplicateUrlFailed",
    "UrlValidationFailed",
    "WebhookLimitExceeded",
)

_BUSY = "the service is busy; try again later"
_CARD = "adsctl cards list --with-deleted shows the cards of the account"
_MEDIA = "adsctl media library list shows the media that can be used"
_DELETED = (
    "check the id, and that it is of this account (--account); a deleted record is shown only with "
    "--with-deleted, where the command has it"
)
# By the parameter that an error names: the command that shows what it may be.
PARAMETER_HINTS = {
    "campaign_id": "adsctl campaigns list shows those of the account",
    "funding_instrument_id": "adsctl funding-instruments list shows those of the account",
    "line_item_id": "adsctl line-items list shows those of the account",
    "targeting_value": "adsctl targeting search finds the values",
}
HINTS = {
    **dict.fromkeys((code for code in CODES_BY_STATUS[404].split() if code.endswith("NOT_FOUND")), _DELETED),
    "ACCOUNT_LOCKED_OUT": "sign in at the service's own page and unlock the user",
    "ACCOUNT_MEDIA_NOT_FOUND": "adsctl media account list shows the media of the account",
    "ACCOUNT_NOT_FOUND": "the account does not exist, or is not shared with the user: adsctl accounts list",
    "ACTION_NOT_ALLOWED": "the user's role in this account does not allow this; ask its administrator",
    "CANCELLED_REQUEST": "the service gave up on the request; ask for less at once, or raise --max-attempts",
    "CARD_NOT_FOUND": _CARD,
    "CURRENT_USER_SUSPENDED": "the service suspended the user; sign in as another: adsctl auth login",
    "CrcValidationFailed": "the address must answer the service's challenge (crc_token) within 10 seconds",
    "DUPLICATE_TWEET": "the same text was posted shortly before; change it",
    "DuplicateUrlFailed": "this address is registered already; each one can have one webhook",
    "EXCLUSIVE_PARAMETERS": "leave out one of the named parameters",
    "FEATURE_NOT_AVAILABLE": "the account has not been given this feature: adsctl accounts features list",
    "FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED": "this account may not use that funding instrument",
    "FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT": "lower the budget, or raise the credit limit",
    "GENERIC_TWEET_ERROR": "the service does not accept this post and gives no reason; change its text",
    "INCLUSIVE_PARAMETERS": "add the parameter that the named one needs",
    "INTERNAL_ERROR": "the service failed; try again later",
    "INVALID_MEDIA": _MEDIA,
    "INVALID_MEDIA_ID": _MEDIA,
    "INVALID_TIME_WINDOW": "the end must be after the start, and within the longest period that is allowed",
    "LOCK_ACQUISITION_TIMEOUT": "another request changes the same object; try again later",
    "MALWARE_STATUS": "the service takes an address in this post for malware; change or remove it",
    "MEDIA_NOT_FOUND": _MEDIA,
    "OVER_CAPACITY": _BUSY,
    "READONLY_CLIENT_APPLICATION": "give the app write access in its settings, then: adsctl auth login",
    "REQUEST_TOO_COMPLEX": "ask for less at once: fewer ids, or a shorter period",
    "ROUTE_NOT_FOUND": "the service has no such path; --service and the addresses of the profile must fit",
    "SCHEDULED_TWEET_LIMIT_EXCEEDED": "delete scheduled posts, or wait until some were posted",
    "SERVICE_UNAVAILABLE": _BUSY,
    "TAILORED_AUDIENCE_NOT_FOUND": "check --audience: it must belong to the account, or be shared with it",
    "TOO_MANY_CAMPAIGNS": "the account has as many campaigns as it may have; delete or end some",
    "TOO_MANY_LINE_ITEMS": "there are as many line items as there may be; delete or end some",
    "TOO_MANY_REQUESTS": "wait for the next window, or raise --max-wait",
    "TWEET_IS_SPAM": "the service takes this post for spam; change its text",
    "TWEET_RATE_LIMIT_EXCEEDED": "the user has posted as much as is allowed; try again in some hours",
    "UNAUTHORIZED_CLIENT_APPLICATION": "the app needs approval for the advertising API, or this part of it",
    "USER_NOT_FOUND": "the user does not exist, or may not be used by this account",
    "UrlValidationFailed": "the address must be https, have no port, and be reachable for the service",
    "WebhookLimitExceeded": "the app has as many webhooks as it may have; delete one",
}  # fmt: skip
