"""Mutants of the guards of images: private addresses, limits, each address once, counts of rows."""

from .mutant import Mutant

PRIVATE = "tests/products/images/test_private.py"
FETCHING = "tests/products/images/test_fetching.py"
FINDINGS = "tests/products/images/test_findings.py"
FETCHER = "ads_cli/products/images/fetcher.py"
START = "ads_cli/http/file_start.py"
CONNECTIONS = "ads_cli/http/network.py"

IMAGES = (
    Mutant(
        "images are fetched from private addresses",
        CONNECTIONS,
        "check=_any_address if allow_private else require_public",
        "check=_any_address",
        (f"{PRIVATE}::test_a_name_of_a_private_address_is_refused",),
    ),
    Mutant(
        "a proxy is asked for images at private names",
        CONNECTIONS,
        "    if proxy and not allow_private:\n",
        "    if not proxy and not allow_private:\n",
        (f"{PRIVATE}::test_a_proxy_is_asked_for_public_names_and_not_for_private_ones",),
    ),
    Mutant(
        "an IPv4 address inside an IPv6 address is not looked at",
        "ads_cli/hosts.py",
        "if carried is not None:",
        "if carried is not None and not address.is_global:",
        (f"{PRIVATE}::test_an_address_that_is_not_public_is_known",),
    ),
    Mutant(
        "a name with one public address is public",
        "ads_cli/hosts.py",
        "    for address in addresses:\n",
        "    for address in addresses[:1]:\n",
        (f"{PRIVATE}::test_a_name_with_one_private_address_among_others_is_refused",),
    ),
    Mutant(
        "the whole of an image is read",
        START,
        "        if counted > max(size, max_counted):",
        "        if counted < 0:",
        (f"{FETCHING}::test_only_the_beginning_of_an_image_is_read",),
    ),
    Mutant(
        "a host is asked for any number of images at a time",
        "ads_cli/products/images/fetcher.py",
        "self._working[host] < REQUESTS_PER_HOST",
        "self._working[host] < 100",
        (f"{FETCHING}::test_a_host_is_asked_for_few_images_at_a_time_and_does_not_hold_up_others",),
    ),
    Mutant(
        "an image is fetched for each row that links to it",
        "ads_cli/products/images/__init__.py",
        "if self._outcomes.claim(address):",
        "if self._outcomes.claim(address) or True:",
        (f"{FETCHING}::test_an_address_is_fetched_once_however_many_rows_link_to_it",),
    ),
    Mutant(
        "a host that does not answer is asked for every image",
        FETCHER,
        "if silence and silence.times >= MAX_SILENCES:",
        "if silence and silence.times < 0:",
        (f"{FETCHING}::test_a_host_that_does_not_answer_is_soon_left_alone",),
    ),
    Mutant(
        "a host that answers in between is left alone",
        FETCHER,
        "        self._silences.pop(origin, None)\n",
        "",
        (f"{FETCHING}::test_a_host_that_answers_in_between_is_asked_for_every_image",),
    ),
    Mutant(
        "an image that was not found counts as sound",
        FETCHER,
        'return Unreachable(f"status {start.status}", f"the server answered with status {start.status}")',
        'return ImageInfo("JPG", 500, 500, 1)',
        (f"{FINDINGS}::test_what_cannot_be_fetched_is_a_warning",),
    ),
    Mutant(
        "a server holds a check of images up for as long as it likes",
        FETCHER,
        "self._ended.wait(min(delay, MAX_RETRY_AFTER_SECONDS))",
        "self._ended.wait(delay)",
        (f"{FETCHING}::test_no_server_holds_a_check_up_for_as_long_as_it_likes",),
    ),
    Mutant(
        "remembered images are deleted while another program has their file",
        "ads_cli/products/images/stores.py",
        "if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:",
        "if False:",
        ("tests/products/images/test_remembered.py::test_a_memory_that_another_program_holds_is_kept",),
    ),
    Mutant(
        "a row with two mistakes is counted twice",
        "ads_cli/validation/__init__.py",
        "severities.difference_update(problem.severity for problem in known)",
        "pass",
        (f"{FINDINGS}::test_a_row_is_invalid_once_whatever_is_wrong_with_it",),
    ),
)
