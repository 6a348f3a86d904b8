"""The endpoints that no command reaches yet, by the names of the facts."""

PENDING = {
    # campaigns
    "campaigns.batch",
    "line_items.batch",
    # audiences
    "custom_audiences.batch",
    # measurement
    "conversion_event.create",
    "conversion_attribution.get",
    "measurement.conversions.create",
    "app_event_tags.list",
    "app_event_tags.get",
    "app_event_tags.create",
    "app_event_tags.delete",
    "app_lists.list",
    "app_lists.get",
    "app_lists.create",
    "app_lists.delete",
    "app_event_provider_configurations.list",
    "app_event_provider_configurations.get",
    "app_event_provider_configurations.create",
    "app_event_provider_configurations.delete",
    "web_event_tags.list",
    "web_event_tags.get",
    "web_event_tags.create",
    "web_event_tags.update",
    "web_event_tags.delete",
    "ab_tests.list",
    "ab_tests.create",
    "ab_tests.update",
    "ab_tests.delete",
    # analytics
    "stats.reach.campaigns.list",
    "stats.reach.funding_instruments.list",
    "stats.get",
    "stats.active_entities.list",
    "stats.jobs.create",
    "stats.jobs.list",
}
