"""Customer lists as other tools export them: their own headers, their dirt, and who must go out of them."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from .conftest import digest
from .customers import people


class Export(NamedTuple):
    """A file, the options that people would type, and the users that must go out, in its order."""

    text: str
    words: tuple[str, ...]
    users: list[dict[str, set[str]]]


def user(**identifiers: Iterable[str]) -> dict[str, set[str]]:
    """Return a user of the request, from normalized identifiers."""
    return {name: {*map(digest, values)} for name, values in identifiers.items() if values}


def table(header: str, rows: Iterable[Mapping[str, str]], *, delimiter: str = ",") -> str:
    """Write rows as CSV; columns that a row does not have are empty."""
    stream = io.StringIO()
    columns = header.split(delimiter)
    writer = csv.DictWriter(stream, columns, restval="", delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def mailchimp() -> Export:
    """Half of the people have a phone number, dialed at home; CC is where they are."""
    header = (
        "Email Address,First Name,Last Name,Address,Phone Number,Birthday,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,"
        "CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,"
        "NOTES,TAGS"
    )
    rows, users = [], []
    for person in people(1):
        has_phone = bool(person.number % 2)
        rows.append(
            {
                "Email Address": person.spelled_email(),
                "First Name": person.first,
                "Last Name": person.last,
                "Address": f"Straße {person.number}, {person.country_name}",
                "Phone Number": person.dialed if has_phone else "",
                "MEMBER_RATING": "2",
                "OPTIN_TIME": "2023-03-14 09:26:53" if person.agreed else "",
                "CONFIRM_TIME": "2023-03-14 09:27:10",
                "CC": person.country.lower() if has_phone else "",
                "LEID": str(90_000_000 + person.number),
                "TAGS": '"VIP","Größe L"',
            }
        )
        users.append(user(email=[person.email], phone_number=[person.phone] if has_phone else []))
    return Export(table(header, rows), (), users)


def klaviyo() -> Export:
    """Phone numbers with an apostrophe against spreadsheets; consent in words of its own."""
    header = (
        "Email,Klaviyo ID,First Name,Last Name,Organization,Title,Phone Number,Address,Address 2,City,"
        "State / Region,Country,Zip Code,Latitude,Longitude,Source,Email Marketing Consent,"
        "Email Marketing Consent Timestamp,SMS Marketing Consent,First Active,Last Active,Profile Created On,"
        "Date Added,Accepts Marketing,$consent_method,External ID"
    )
    rows, users = [], []
    for person in people(2):
        rows.append(
            {
                "Email": person.spelled_email(),
                "Klaviyo ID": f"01H{person.number:05}XYZ",
                "First Name": person.first,
                "Last Name": person.last,
                "Phone Number": f"'{person.phone}",
                "Country": person.country_name,
                "Email Marketing Consent": "SUBSCRIBED"
                if person.agreed
                else ("NEVER_SUBSCRIBED", "UNSUBSCRIBED")[person.number % 2],
                "Email Marketing Consent Timestamp": "2024-02-02 10:00:00",
                "$consent_method": "Klaviyo Form",
                "External ID": f"K-{person.number}",
            }
        )
        users.append(user(email=[person.email], phone_number=[person.phone]))
    return Export(table(header, rows), (), users)


def shopify() -> Export:
    """Two phone numbers of a person, often the same one; ids with an apostrophe."""
    header = (
        "Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,"
        "Default Address Address1,Default Address Address2,Default Address City,"
        "Default Address Province Code,Default Address Country Code,Default Address Zip,"
        "Default Address Phone,Phone,Accepts SMS Marketing,Total Spent,Total Orders,Note,Tax Exempt,Tags"
    )
    rows, users = [], []
    for person in people(3):
        other = f"{person.phone[:-1]}{9 - int(person.phone[-1])}"
        address_phone, numbers = (
            (person.dialed, [person.phone]),
            ("", [person.phone]),
            (f"'{other}", [person.phone, other]),
        )[person.number % 3]
        rows.append(
            {
                "Customer ID": f"'69400{person.number:08}",
                "First Name": person.first,
                "Last Name": person.last,
                "Email": person.spelled_email(),
                "Accepts Email Marketing": "yes" if person.agreed else "no",
                "Default Address City": "Köln",
                "Default Address Country Code": person.country,
                "Default Address Zip": "'01234",
                "Default Address Phone": address_phone,
                "Phone": f"'{person.phone}",
                "Accepts SMS Marketing": "no",
                "Note": "Notiz: “nett”",
                "Tags": "stammkunde, älter",
            }
        )
        users.append(user(email=[person.email], phone_number=numbers))
    return Export(table(header, rows), (), users)


def hubspot() -> Export:
    """A second address, more of them separated by semicolons, and names of countries."""
    header = (
        "Record ID,First Name,Last Name,Email,Work email,Additional email addresses,Phone Number,"
        "Mobile Phone Number,Country/Region,Lead Status,Unsubscribed from all email,"
        "Opted out of email: Marketing Information,Email Domain,Create Date,Contact owner"
    )
    rows, users = [], []
    for person in people(4):
        work, more = f"w{person.number}@work.example", f"m{person.number}@more.example"
        has_work, has_more = person.number % 3 == 1, person.number % 5 == 0
        rows.append(
            {
                "Record ID": str(351 + person.number),
                "First Name": person.first,
                "Last Name": person.last,
                "Email": person.spelled_email(),
                "Work email": work if has_work else "",
                "Additional email addresses": f"{person.email.upper()};{more}" if has_more else "",
                "Phone Number": "" if person.number % 4 else person.spelled_phone(),
                "Mobile Phone Number": person.dialed,
                "Country/Region": person.country_name,
                "Unsubscribed from all email": "" if person.agreed else "true",
                "Email Domain": "shop.example",
                "Contact owner": "Inès Moreau",
            }
        )
        emails = [person.email, *([work] if has_work else []), *([more] if has_more else [])]
        users.append(user(email=emails, phone_number=[person.phone]))
    return Export(table(header, rows), (), users)


def brevo() -> Export:
    """Semicolons, a byte order mark, and a number in two columns."""
    header = (
        "CONTACT ID;EMAIL;LASTNAME;FIRSTNAME;WHATSAPP;SMS;DOUBLE_OPT-IN;OPT_IN;LANDLINE_NUMBER;EXT_ID;"
        "CONTACT_TIMEZONE;JOB_TITLE;LINKEDIN;EMAIL_BLACKLISTED;ADDED_TIME;MODIFIED_TIME"
    )
    rows, users = [], []
    for person in people(5):
        rows.append(
            {
                "CONTACT ID": str(person.number),
                "EMAIL": person.spelled_email(),
                "LASTNAME": person.last,
                "FIRSTNAME": person.first,
                "WHATSAPP": f"00{person.phone[1:]}" if person.number % 2 else "",
                "SMS": person.spelled_phone(),
                "OPT_IN": "Yes",
                "EMAIL_BLACKLISTED": "false" if person.agreed else "true",
                "ADDED_TIME": "2024-01-01 10:00:00",
            }
        )
        users.append(user(email=[person.email], phone_number=[person.phone]))
    return Export("\ufeff" + table(header, rows, delimiter=";"), (), users)


def google_contacts() -> Export:
    """Numbered columns of values and their labels."""
    header = (
        "First Name,Middle Name,Last Name,Birthday,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,"
        "E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,"
        "Address 1 - Street,Address 1 - Country"
    )
    rows, users = [], []
    for person in people(6):
        second = [f"zwei.{person.number}@privat.example"] if person.number % 2 else []
        rows.append(
            {
                "First Name": person.first,
                "Last Name": person.last,
                "Notes": "ruft gern an",
                "Labels": "* myContacts",
                "E-mail 1 - Label": "* Home",
                "E-mail 1 - Value": person.spelled_email(),
                "E-mail 2 - Label": "Work",
                "E-mail 2 - Value": "".join(second),
                "Phone 1 - Label": "Mobile",
                "Phone 1 - Value": person.dialed,
                "Phone 2 - Value": person.spelled_phone() if person.number % 3 == 0 else "",
                "Address 1 - Country": person.country_name,
            }
        )
        users.append(user(email=[person.email, *second], phone_number=[person.phone]))
    return Export(table(header, rows), (), users)


def meta() -> Export:
    """The template of another service, which repeats its columns."""
    lines, users = ["email,email,email,phone,phone,phone,madid,fn,ln,zip,ct,st,country,dob,uid,value"], []
    for person in people(7):
        device = f"6d92078a-8246-4ba4-ae5b-{person.number:012x}"
        second = [f"b{person.number}@x.example"] if person.number % 3 == 0 else []
        contacts = f"{person.spelled_email()},{''.join(second)},,{person.dialed},{person.spelled_phone()},"
        lines.append(
            f"{contacts},{device.upper()},{person.first},{person.last},1010,wien,,{person.country},,,12.5"
        )
        users.append(user(email=[person.email, *second], phone_number=[person.phone], device_id=[device]))
    return Export("\n".join(lines), (), users)


def german_shop() -> Export:
    """A list that a shop keeps by itself, dialed at home, in one country."""
    header = "Kundennummer;Anrede;Vorname;Nachname;E-Mail-Adresse;E-Mail privat;Telefon;Mobil;Newsletter"
    rows, users = [], []
    for person in (person for seed in range(8, 20) for person in people(seed) if person.country == "DE"):
        private = f"privat{len(users)}@gmx.example"
        begin, rest = person.dialed[:4], person.dialed[4:]
        rows.append(
            {
                "Kundennummer": f"K{person.number}",
                "Vorname": person.first,
                "Nachname": person.last,
                "E-Mail-Adresse": person.spelled_email(),
                "E-Mail privat": private,
                "Telefon": "",
                "Mobil": (person.dialed, f"{begin}/{rest}", f"{begin} - {rest}")[person.number % 3],
                "Newsletter": "ja" if person.agreed else "nein",
            }
        )
        users.append(user(email=[person.email, private], phone_number=[person.phone]))
    return Export(table(header, rows, delimiter=";"), ("--region", "DE"), users)


EXPORTS: tuple[Callable[[], Export], ...] = (
    mailchimp,
    klaviyo,
    shopify,
    hubspot,
    brevo,
    google_contacts,
    meta,
    german_shop,
)
