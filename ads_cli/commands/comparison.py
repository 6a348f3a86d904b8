"""Compare a feed with its catalog, with progress and messages."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ..api.products import ListProducts
from ..console.diff_reports import describe_counts, show_differences
from ..console.invocation import Invocation
from ..console.progress import progress
from ..output.text import counted, duration, first_of
from ..products.sync.change import Change
from ..products.sync.comparison import CatalogComparison, CompareOptions, comparing
from ..products.sync.differences import NAMED_IDS, Differences
from ..products.sync_state import KIND
from ..uploads.generations import Generations
from ..uploads.job_key import Place
from ..uploads.jobs import require_idle
from ..validation.validator import Validator
from .products import sync_state_of


@contextmanager
def comparing_with_catalog(call: Invocation, options: CompareOptions) -> Iterator[CatalogComparison]:
    """Start to list the catalog, which goes on while the feed is validated."""
    if call.settings.is_local:
        call.emulator.prepared()  # by one thread
    with comparing(call.client, call.catalog, sync_state_of(call), options) as comparison:
        yield comparison


def find_differences(call: Invocation, comparison: CatalogComparison, validator: Validator) -> Differences:
    """Compare a validated feed with its catalog, and say what cannot be compared."""
    with progress(call.messages, "Listing the catalog", None) as on_progress:
        comparison.wait(on_progress)
    with progress(call.messages, "Comparing", validator.report.rows) as on_progress:
        comparison.compare(validator, on_progress)
    groups = comparison.groups()
    _say_estimate(call, len(groups))
    with progress(call.messages, "Listing groups of variants", len(groups), noun="group") as on_progress:
        comparison.list_groups(groups, on_progress)
    comparison.decide()
    differences = comparison.differences
    if spared := differences.spared:
        call.messages.warn(
            f"{counted(len(spared), 'product')} not deleted, as rows have the ids in another form, "
            f"or the keys: {first_of(spared, NAMED_IDS, repr)}"
        )
    return differences


def _say_estimate(call: Invocation, requests: int) -> None:
    """Say how long the groups take at the limits of the service, if one window does not hold them."""
    rate = ListProducts.endpoint.rates[call.settings.service]
    if rate and (seconds := rate.seconds_for(requests)):
        call.messages.say(
            f"listing {counted(requests, 'group')} of variants: "
            f"about {duration(seconds)} at this service's limits"
        )


def show_dry_run(call: Invocation, differences: Differences, shown: Iterable[Change]) -> None:
    """Print differences that a run would send, or the first of them, and say how many there are."""
    show_differences(call.printer, shown)
    call.messages.say(f"dry run: {describe_counts(differences)}")
    if differences.not_kept:
        call.messages.warn(differences.not_kept_words)


def catalog_place(call: Invocation) -> Place:
    """Return the place that the products of the catalog are."""
    return Place(call.service, KIND, call.catalog)


def current_generation(call: Invocation) -> str:
    """Return the generation of the catalog, which whatever else changes it from now on will end.

    Raises StateError where another run is changing the catalog, since that began before.
    """
    generations, place = Generations(call.settings.state_dir), catalog_place(call)
    generation = generations.current(place) or generations.begin(place)
    require_idle(call.settings.state_dir / "jobs", place)
    return generation
