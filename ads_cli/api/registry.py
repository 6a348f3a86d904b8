"""Which module declares the requests of a command: a command line loads those of its group alone."""

from collections.abc import Iterator
from importlib import import_module

from .endpoint import Request

# The modules of a group, unless they are those of the group above it. Only groups are looked up; the command
# "audiences push" is here so that `MODULES` has the module of its requests.
GROUP_MODULES = {
    "campaigns": ("campaigns",),
    "funding-instruments": ("funding_instruments",),
    "lookup": ("funding_instruments", "categories"),
    "accounts": ("accounts", "categories"),
    "accounts features": ("accounts",),
    "accounts curated-categories": ("categories",),
    "line-items": ("line_items",),
    "line-items curated-categories": ("categories",),
    "targeting": ("targeting",),
    "targeting search": ("targeting_search",),
    "promoted": ("promoted",),
    "audiences": ("audiences", "audience_insights"),
    "audiences permissions": ("audiences",),
    "audiences do-not-reach": ("audiences",),
    "audiences push": ("users",),
    "cards": ("cards",),
    "cards poll": ("conversations",),
    "cards image-conversation": ("conversations",),
    "cards video-conversation": ("conversations",),
    "media": ("media", "media_uploads"),
    "media subtitles": ("media_uploads",),
    "posts": ("posts",),
    "catalog": ("catalog",),
    "products": ("products",),
    "settings": ("settings",),
    "tracking-tags": ("line_items",),
    "recommendations": ("funding_instruments",),
    "conversions": ("conversions",),
    "measurement": ("measurement",),
    "measurement conversion-events": ("conversions",),
    "measurement conversion-attribution": ("conversions",),
    "measurement ab-tests": ("ab_tests",),
    "stats": ("statistics",),
    "auth": ("auth",),
    "webhooks": ("webhooks",),
    "events": ("events", "webhooks"),
    "events connections": ("webhooks",),
}
MODULES = tuple(dict.fromkeys(module for modules in GROUP_MODULES.values() for module in modules))


def modules_of(group: tuple[str, ...]) -> tuple[str, ...]:
    """Name the modules that declare the commands of a group, which may be those of a group above it."""
    while group:
        if modules := GROUP_MODULES.get(" ".join(group)):
            return modules
        group = group[:-1]
    return ()


def requests_of(module: str) -> list[type[Request]]:
    """List the Request classes of one module of `api`, in declaration order."""
    declaring = import_module(f"{__package__}.{module}")
    return [
        value
        for value in vars(declaring).values()
        if isinstance(value, type) and issubclass(value, Request) and "endpoint" in vars(value)
    ]


def requests_named(words: tuple[str, ...]) -> list[type[Request]]:
    """Return the requests of a command, which are of one module. Raise KeyError if there are none."""
    command = " ".join(words)
    for module in modules_of(words[:-1]):
        if requests := [request for request in requests_of(module) if request.endpoint.command == command]:
            return requests
    raise KeyError(command)


def request_of(words: tuple[str, ...], service: str) -> type[Request]:
    """Return the request of a command that a service understands; raise KeyError if there is none."""
    for request in requests_named(words):
        if is_of_service(request, service):
            return request
    raise KeyError(" ".join(words))


def requests_for(service: str) -> Iterator[type[Request]]:
    """List the requests of all modules that a service understands."""
    for module in MODULES:
        yield from (request for request in requests_of(module) if is_of_service(request, service))


def creation_of(removal: type[Request]) -> type[Request]:
    """Return the request that creates what another one deletes; raise KeyError if there is none."""
    endpoint = removal.endpoint
    for module in modules_of(tuple(endpoint.command.split()[:-1])):
        for kind in requests_of(module):
            if kind.endpoint.route == f"POST {endpoint.path.rpartition('/')[0]}":
                return kind
    raise KeyError(endpoint.command)


def is_of_service(request: type[Request], service: str) -> bool:
    """Whether a service understands a request."""
    return request.endpoint.service in ("", service)


def document_of(request: type[Request]) -> str:
    """Return the commented YAML example of a request with nested values: its own, or that of its group.

    Raise LookupError if there is none.
    """
    from importlib.resources import files

    *group, verb = request.endpoint.command.split()
    names = ("-".join(words) for words in ([*group, verb], group))
    documents = (files(__package__).joinpath("examples", f"{name}.yaml") for name in names)
    for document in documents:
        if document.is_file():
            return document.read_text(encoding="utf-8")
    raise LookupError(f"no example of {request.endpoint.command} in api/examples/")
