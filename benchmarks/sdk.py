"""Push the same user list with the public SDK: python sdk.py ADDRESS FILE USERS_PER_OPERATION."""

import sys
from hashlib import sha256
from itertools import islice
from pathlib import Path

from twitter_ads.audience import CustomAudience
from twitter_ads.client import Client
from twitter_ads.http import Request

OPERATIONS = 2500


def main(address: str, path: str, per_operation: int) -> None:
    Request._DEFAULT_DOMAIN = address
    client = Client("key", "secret", "token", "token-secret")
    account = type("Account", (), {"client": client, "id": "acc"})()
    audience = CustomAudience(account)
    audience._id = "aud"
    with Path(path).open() as file:
        next(file)
        digests = (sha256(line.strip().lower().encode()).hexdigest() for line in file)
        while some := list(islice(digests, OPERATIONS * per_operation)):
            groups = (some[at : at + per_operation] for at in range(0, len(some), per_operation))
            operations = [
                {"operation_type": "Update", "params": {"users": [{"email": [each]} for each in group]}}
                for group in groups
            ]
            success, total = audience.users(operations)
            assert success == total == len(some)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
