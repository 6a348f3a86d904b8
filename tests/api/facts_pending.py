"""The endpoints that no command reaches yet, by the names of the facts."""

PENDING = {
    # campaigns
    # audiences
    "custom_audiences.batch",
    # measurement
}
