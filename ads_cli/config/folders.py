"""What lies in the two folders that adsctl writes, as `adsctl help files` shows it."""

CONFIG_FILES = {
    "config.yaml": "profiles: addresses, account, catalog; never a secret",
    "secrets.json": "tokens, only after --token-store file; readable by you alone",
}
STATE_FILES = {
    "jobs": "one journal for each push or creation from a file, for --resume; adsctl jobs lists them",
    "generations": "how often each catalog and list was written to: nothing outdated is resumed",
    "acknowledged": "digests of acknowledged products, for push --changed",
    "feeds": "which version of a remote feed was pushed last, for push --changed",
    "feed_sizes": "the rows that each feed had when it was pushed last, for --min-rows",
    "images.db": "what is known of images, for products check --images",
    "exports": "parts of unfinished exports of statistics, for stats export --resume",
    "fleet": "the runs of fleets: records and logs of their tasks",
    "ids": "the ids that completion offers",
    "concurrency": "how many requests at once a service answers well",
    "pace": "what the processes on this machine have left of the rate limits",
    "keyring-backend": "which keyring this machine has",
    "emulator.db": "the data of the emulator",
}
