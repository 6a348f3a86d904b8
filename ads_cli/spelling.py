"""How a name is written on the command line and in the environment."""


def as_option(name: str) -> str:
    """Write a name as an option: `max_wait` as `--max-wait`."""
    return f"--{name.replace('_', '-')}"


def as_variable(name: str) -> str:
    """Write a name as an environment variable: `ads_url` as `ADSCTL_ADS_URL`."""
    return f"ADSCTL_{name.upper()}"
