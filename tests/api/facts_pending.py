"""The endpoints that no command reaches yet, by the names of the facts."""

PENDING = {
    # campaigns
    # audiences
    "custom_audiences.batch",
    # measurement
    # analytics
    "stats.reach.campaigns.list",
    "stats.reach.funding_instruments.list",
    "stats.get",
    "stats.active_entities.list",
    "stats.jobs.create",
    "stats.jobs.list",
}
