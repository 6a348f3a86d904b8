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
    for each in people(1):
        has_phone = bool(each.number % 2)
        rows.append(
            {
                "Email Address": each.spelled_email(),
                "First Name": each.first,
                "Last Name": each.last,
                "Address": f"Straße {each.number}, {each.country_name}",
                "Phone Number": each.dialed if has_phone else "",
                "MEMBER_RATING": "2",
                "OPTIN_TIME": "2023-03-14 09:26:53" if each.agreed else "",
                "CONFIRM_TIME": "2023-03-14 09:27:10",
                "CC": each.country.lower() if has_phone else "",
                "LEID": str(90_000_000 + each.number),
                "TAGS": '"VIP","Größe L"',
            }
        )
        users.append(user(email=[each.email], phone_number=[each.phone] if has_phone else []))
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
    for each in people(2):
        rows.append(
            {
                "Email": each.spelled_email(),
                "Klaviyo ID": f"01H{each.number:05}XYZ",
                "First Name": each.first,
                "Last Name": each.last,
                "Phone Number": f"'{each.phone}",
                "Country": each.country_name,
                "Email Marketing Consent": "SUBSCRIBED"
                if each.agreed
                else ("NEVER_SUBSCRIBED", "UNSUBSCRIBED")[each.number % 2],
                "Email Marketing Consent Timestamp": "2024-02-02 10:00:00",
                "$consent_method": "Klaviyo Form",
                "External ID": f"K-{each.number}",
            }
        )
        users.append(user(email=[each.email], phone_number=[each.phone]))
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
    for each in people(3):
        other = f"{each.phone[:-1]}{9 - int(each.phone[-1])}"
        address_phone, numbers = (
            (each.dialed, [each.phone]),
            ("", [each.phone]),
            (f"'{other}", [each.phone, other]),
        )[each.number % 3]
        rows.append(
            {
                "Customer ID": f"'69400{each.number:08}",
                "First Name": each.first,
                "Last Name": each.last,
                "Email": each.spelled_email(),
                "Accepts Email Marketing": "yes" if each.agreed else "no",
                "Default Address City": "Köln",
                "Default Address Country Code": each.country,
                "Default Address Zip": "'01234",
                "Default Address Phone": address_phone,
                "Phone": f"'{each.phone}",
                "Accepts SMS Marketing": "no",
                "Note": "Notiz: “nett”",
                "Tags": "stammkunde, älter",
            }
        )
        users.append(user(email=[each.email], phone_number=numbers))
    return Export(table(header, rows), (), users)


def hubspot() -> Export:
    """A second address, more of them separated by semicolons, and names of countries."""
    header = (
        "Record ID,First Name,Last Name,Email,Work email,Additional email addresses,Phone Number,"
        "Mobile Phone Number,Country/Region,Lead Status,Unsubscribed from all email,"
        "Opted out of email: Marketing Information,Email Domain,Create Date,Contact owner"
    )
    rows, users = [], []
    for each in people(4):
        work, more = f"w{each.number}@work.example", f"m{each.number}@more.example"
        has_work, has_more = each.number % 3 == 1, each.number % 5 == 0
        rows.append(
            {
                "Record ID": str(351 + each.number),
                "First Name": each.first,
                "Last Name": each.last,
                "Email": each.spelled_email(),
                "Work email": work if has_work else "",
                "Additional email addresses": f"{each.email.upper()};{more}" if has_more else "",
                "Phone Number": "" if each.number % 4 else each.spelled_phone(),
                "Mobile Phone Number": each.dialed,
                "Country/Region": each.country_name,
                "Unsubscribed from all email": "" if each.agreed else "true",
                "Email Domain": "shop.example",
                "Contact owner": "Inès Moreau",
            }
        )
        emails = [each.email, *([work] if has_work else []), *([more] if has_more else [])]
        users.append(user(email=emails, phone_number=[each.phone]))
    return Export(table(header, rows), (), users)


def brevo() -> Export:
    """Semicolons, a byte order mark, and a number in two columns."""
    header = (
        "CONTACT ID;EMAIL;LASTNAME;FIRSTNAME;WHATSAPP;SMS;DOUBLE_OPT-IN;OPT_IN;LANDLINE_NUMBER;EXT_ID;"
        "CONTACT_TIMEZONE;JOB_TITLE;LINKEDIN;EMAIL_BLACKLISTED;ADDED_TIME;MODIFIED_TIME"
    )
    rows, users = [], []
    for each in people(5):
        rows.append(
            {
                "CONTACT ID": str(each.number),
                "EMAIL": each.spelled_email(),
                "LASTNAME": each.last,
                "FIRSTNAME": each.first,
                "WHATSAPP": f"00{each.phone[1:]}" if each.number % 2 else "",
                "SMS": each.spelled_phone(),
                "OPT_IN": "Yes",
                "EMAIL_BLACKLISTED": "false" if each.agreed else "true",
                "ADDED_TIME": "2024-01-01 10:00:00",
            }
        )
        users.append(user(email=[each.email], phone_number=[each.phone]))
    return Export("\ufeff" + table(header, rows, delimiter=";"), (), users)


def google_contacts() -> Export:
    """Numbered columns of values and their labels."""
    header = (
        "First Name,Middle Name,Last Name,Birthday,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,"
        "E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,"
        "Address 1 - Street,Address 1 - Country"
    )
    rows, users = [], []
    for each in people(6):
        second = [f"zwei.{each.number}@privat.example"] if each.number % 2 else []
        rows.append(
            {
                "First Name": each.first,
                "Last Name": each.last,
                "Notes": "ruft gern an",
                "Labels": "* myContacts",
                "E-mail 1 - Label": "* Home",
                "E-mail 1 - Value": each.spelled_email(),
                "E-mail 2 - Label": "Work",
                "E-mail 2 - Value": "".join(second),
                "Phone 1 - Label": "Mobile",
                "Phone 1 - Value": each.dialed,
                "Phone 2 - Value": each.spelled_phone() if each.number % 3 == 0 else "",
                "Address 1 - Country": each.country_name,
            }
        )
        users.append(user(email=[each.email, *second], phone_number=[each.phone]))
    return Export(table(header, rows), (), users)


def meta() -> Export:
    """The template of another service, which repeats its columns."""
    lines, users = ["email,email,email,phone,phone,phone,madid,fn,ln,zip,ct,st,country,dob,uid,value"], []
    for each in people(7):
        device = f"6d92078a-8246-4ba4-ae5b-{each.number:012x}"
        second = [f"b{each.number}@x.example"] if each.number % 3 == 0 else []
        contacts = f"{each.spelled_email()},{''.join(second)},,{each.dialed},{each.spelled_phone()},"
        lines.append(f"{contacts},{device.upper()},{each.first},{each.last},1010,wien,,{each.country},,,12.5")
        users.append(user(email=[each.email, *second], phone_number=[each.phone], device_id=[device]))
    return Export("\n".join(lines), (), users)


def german_shop() -> Export:
    """A list that a shop keeps by itself, dialed at home, in one country."""
    header = "Kundennummer;Anrede;Vorname;Nachname;E-Mail-Adresse;E-Mail privat;Telefon;Mobil;Newsletter"
    rows, users = [], []
    for each in (each for seed in range(8, 20) for each in people(seed) if each.country == "DE"):
        private = f"privat{len(users)}@gmx.example"
        begin, rest = each.dialed[:4], each.dialed[4:]
        rows.append(
            {
                "Kundennummer": f"K{each.number}",
                "Vorname": each.first,
                "Nachname": each.last,
                "E-Mail-Adresse": each.spelled_email(),
                "E-Mail privat": private,
                "Telefon": "",
                "Mobil": (each.dialed, f"{begin}/{rest}", f"{begin} - {rest}")[each.number % 3],
                "Newsletter": "ja" if each.agreed else "nein",
            }
        )
        users.append(user(email=[each.email, private], phone_number=[each.phone]))
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
