"""Generate a command from a declared request, or from one of each service.

Every option is passed on as text and validated by the declaration alone. So all problems are reported at
once, and no limit is written twice.
"""

from inspect import getdoc
from typing import Any

from ..api.endpoint import Request
from ..api.fields import marked_fields
from ..api.parts import media_file_fields
from ..api.registry import is_of_service
from ..console.help_texts import EXAMPLE_MARK, ExampleCommand
from ..console.invocation import Invocation
from ..console.parameters import Argument
from ..errors import UsageError
from .request_parameters import request_parameters


class RequestCommand(ExampleCommand):
    """The command of a declared request, or of the requests that services declare for it."""

    def __init__(self, *requests: type[Request]) -> None:
        self.requests = requests
        self.request = request = requests[0]  # described by the help
        self.common = {common for request in requests for common in marked_fields(request, "common").values()}
        own: dict[str, Any] = {}  # an option that several requests have is one parameter
        self._names: dict[type[Request], dict[str, str]] = {}  # of the fields of each request, by parameter
        for request_type in requests:
            params = request_parameters(request_type)
            self._names[request_type] = {_key(param): param.name for param in params}
            for param in params:
                if _key(param) not in own and len(requests) > 1 and request_type is not request:
                    param.help = f"{param.help} (service {request_type.endpoint.service} only)"
                existing = own.setdefault(_key(param), param)
                if existing.required and not param.required:
                    existing.required = False
                    existing.help = (
                        f"{existing.help} (may be left out with service {request_type.endpoint.service} only)"
                    )
        self._own = list(own.values())
        endpoint = request.endpoint
        super().__init__(
            name=endpoint.command.split()[-1],
            help=f"{getdoc(request)}{EXAMPLE_MARK}adsctl {endpoint.command} {endpoint.example}",
            params=list(self._own),
        )

    def request_for(self, service: str) -> type[Request]:
        """Return the request that a service understands."""
        return next(request for request in self.requests if is_of_service(request, service))

    def name_for(self, request: type[Request], param: Any) -> str:
        """Return the name that a request has for a parameter; services may name it differently."""
        return self._names[request].get(_key(param), str(param.name))

    def _values(self, request: type[Request], options: dict[str, Any]) -> dict[str, Any]:
        """Name the values of the parameters as a request does; raise UsageError for one that it lacks."""
        names, values = self._names[request], {}
        for param in self._own:
            if (key := _key(param)) in names:
                values[names[key]] = options.get(param.name)
            elif options.get(param.name) not in (None, param.default):
                service = request.endpoint.service
                raise UsageError(f"{key}: the service {service} has no such parameter", hint="--service")
        return values

    def invoke(self, ctx: Any) -> None:
        """Validate the request, send it, show the response."""
        call = Invocation.of(ctx, mutates=self.request.endpoint.mutates)
        kind = self.request_for(call.settings.service)
        from ..commands.requests.run import RequestRun

        values, media = self._values(kind, ctx.params), None
        if media_file_fields(kind):
            from ..commands.media.of_request import MediaOfRequest

            media = MediaOfRequest(call, kind)
        RequestRun(call, kind, values, media).run()


def _key(param: Any) -> str:
    """Return the same text for the same parameter of two requests: its option, or that it is an argument."""
    return "ID" if isinstance(param, Argument) else max(param.opts, key=len)
