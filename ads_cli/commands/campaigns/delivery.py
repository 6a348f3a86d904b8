"""How commands find out why campaigns do not deliver."""

from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...campaigns.account import AccountReader
    from ...campaigns.delivery import Diagnosis


def diagnosis_of(reader: "AccountReader", zone: tzinfo) -> "Diagnosis":
    """Read what pays in an account, deleted ones too, for finding out why something does not deliver."""
    from ...api.funding_instruments import ListFundingInstruments
    from ...campaigns.account import list_all
    from ...campaigns.delivery import Diagnosis

    def show_time(time: datetime) -> str:
        return f"{time.astimezone(zone):%Y-%m-%d %H:%M %Z}"

    listed = list_all(reader.client, ListFundingInstruments, account_id=reader.account, with_deleted=True)
    return Diagnosis({str(record.get("id")): record for record in listed}, datetime.now(UTC), show_time)
