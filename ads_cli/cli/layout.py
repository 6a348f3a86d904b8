"""Which groups and hand-written commands there are, and how the root's help orders them."""

# The groups by path, with their summaries.
GROUPS = {
    "products": "Product feeds: check, convert, push, pull, list and delete products",
    "catalog": "The product catalog, its product sets and its scheduled feeds",
    "catalog sets": "Product sets: the products that an ad shows",
    "catalog feeds": "Scheduled feeds: what the service itself imports into the catalog",
    "audiences": "Audiences: who ads are for, and who they are not for",
    "audiences permissions": "The accounts that an audience is shared with",
    "audiences do-not-reach": "Lists of people who see no ads",
    "fleet": "Many commands of one file, each under its own profile",
    "jobs": "Pushes that ran on this machine, and how to resume them",
    "accounts": "Advertising accounts",
    "accounts features": "The features that an account may use",
    "accounts promotable-users": "The users whose posts an account may promote",
    "accounts curated-categories": "Videos to advertise with, by subject",
    "campaigns": "Campaigns: what line items share, and their budget",
    "funding-instruments": "What campaigns are paid with",
    "line-items": "Line items: who sees which ad, when and for how much",
    "line-items curated-categories": "The curated categories of line items",
    "targeting": "Targeting criteria: who sees the ads of a line item",
    "targeting search": "Find what can be targeted: places, interests, devices and more",
    "promoted": "What line items promote",
    "promoted posts": "Promoted posts",
    "promoted accounts": "Promoted accounts",
    "promoted scheduled": "Scheduled posts that are promoted once they are published",
    "promoted media": "The media that line items show",
    "promoted call-to-actions": "Calls to action of preroll videos",
    "cards": "Cards: what a post shows below its text",
    "cards poll": "Poll cards",
    "cards video-conversation": "Video conversation cards: a video and hashtags",
    "cards image-conversation": "Image conversation cards: an image and hashtags",
    "media": "Images, GIFs and videos",
    "media account": "The media that ads of the account show",
    "media library": "The library of uploaded media",
    "posts": "Posts made for an advertiser",
    "conversions": "Conversions of websites",
    "measurement": "What measures conversions: tags, lists of apps, A/B tests",
    "measurement web-event-tags": "Event tags of websites",
    "measurement app-event-tags": "Event tags of apps",
    "measurement app-lists": "Lists of apps",
    "measurement app-event-provider-configurations": "The provider that reports the events of apps",
    "measurement conversion-events": "Conversions in mobile apps",
    "measurement conversion-attribution": "The ads that conversions in mobile apps are attributed to",
    "measurement ab-tests": "A/B tests of campaigns and line items",
    "posts drafts": "Drafts of posts",
    "posts scheduled": "Posts that the service publishes at a time",
    "recommendations": "What the service recommends for campaigns",
    "settings": "Taxes, contacts and access of an account",
    "settings tax": "Tax settings, and who is billed",
    "settings user": "How the users of an account are contacted",
    "tracking-tags": "Addresses that are fetched when an ad is shown or clicked",
    "lookup": "Values that requests may have, and their limits",
    "stats": "Statistics: what ads cost and brought",
    "stats reach": "How many people were reached",
    "stats jobs": "The jobs of stats export",
    "auth": "Sign in and out, and manage tokens",
    "auth bearer": "The bearer token of the app",
    "profile": "Profiles: addresses and defaults, by name",
    "webhooks": "Addresses that the service delivers events to",
    "emulator": "The whole service on this machine, to try out and to test",
}
# The commands that take more than one request, as module:function; all others are generated.
HAND_WRITTEN = {
    "auth login": "login:login",
    "auth logout": "auth:logout",
    "auth status": "auth:status",
    "auth token": "auth:token",
    "auth bearer issue": "bearer:issue",
    "auth bearer revoke": "bearer:revoke",
    "profile list": "profile:list_profiles",
    "profile show": "profile:show",
    "profile use": "profile:use",
    "profile set": "profile:set_values",
    "profile remove": "profile:remove",
    "webhooks create": "webhooks:create",
    "audiences push": "audiences:push",
    "audiences check": "audiences:check",
    "audiences hash": "audiences:hash_file",
    "audiences do-not-reach push": "audiences:push_do_not_reach",
    "cards fetch": "cards:fetch",
    "products push": "products:push",
    "products check": "product_check:check",
    "products convert": "product_convert:convert",
    "products diff": "product_diff:diff",
    "products update": "product_update:update",
    "products get": "product_get:get",
    "products sync": "product_sync:sync",
    "products pull": "product_pull:pull",
    "products delete": "product_delete:delete",
    "campaigns tree": "campaigns:tree",
    "conversions send": "conversions:send",
    "stats get": "stats:get",
    "stats export": "stats_export:export",
    "stats jobs get": "stats_jobs:get_job",
    "emulator serve": "emulator:serve",
    "emulator exec": "emulator:execute",
    "emulator env": "emulator:env",
    "emulator audiences": "emulator:audiences",
    "emulator reset": "emulator:reset",
    "fleet run": "fleet:run",
    "fleet check": "fleet:check",
    "fleet status": "fleet:status",
    "jobs list": "jobs:list_jobs",
    "jobs show": "jobs:show_job",
    "jobs clean": "jobs:clean",
    "api": "api:api",
    "completion": "completion:completion",
    "help": "help:show_help",
}
# The groups that are commands too, where no command in them is named.
GROUP_COMMANDS = {"targeting search": "targeting:search"}
# Summaries of the hand-written commands of the root, so that the root's help imports none of them.
ROOT_SUMMARIES = {
    "api": "Send any signed request",
    "completion": "Print the completion script of a shell",
    "help": "Show the help of a command, or explain a topic",
}
# The root's help, by heading.
ROOT_SECTIONS = {
    "Feeds and audiences": ("products", "catalog", "audiences", "fleet", "jobs"),
    "Campaigns and ads": (
        *("campaigns", "line-items", "targeting", "promoted", "cards", "media", "posts"),
        *("stats", "recommendations"),
    ),
    "Accounts and measurement": (
        *("accounts", "funding-instruments", "settings", "conversions", "measurement"),
        *("tracking-tags", "lookup"),
    ),
    "Sign-in and set-up": ("auth", "profile", "webhooks", "completion"),
    "Tools": ("emulator", "api", "help"),
}  # fmt: skip


def root_sections() -> dict[str, list[str]]:
    """List the names of ROOT_SECTIONS that have commands."""
    declared = GROUPS.keys() | ROOT_SUMMARIES.keys()
    return {
        heading: names
        for heading, section in ROOT_SECTIONS.items()
        if (names := [name for name in section if name in declared])
    }
