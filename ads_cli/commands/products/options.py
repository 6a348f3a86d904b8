"""The options that convert a product feed, shared by every command that reads one."""

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from ...console.invocation import Invocation
from ...console.parameters import choice, flag, option
from ...errors import UsageError
from ...feeds import DUPLICATES
from ...products.feeds.fixes import ALL, NAMES, Fixes, parse_fixes
from ..runs.options import FeedOptions, PushOptions, Recipe

if TYPE_CHECKING:
    from ...feeds.locations import Location
    from ...feeds.row import DuplicatePolicy, Step
    from ...feeds.rows import Rows
    from ...feeds.source import Feed
    from ...products.feeds.kinds import FeedKind
    from ...products.feeds.kinds.reading import OpenedFeed, Read
    from ...products.normal_form import Scope
    from ...products.sync.comparison import CompareOptions

# Written out, since help must not load the kinds; tests hold them equal.
SOURCES = (
    *("auto", "generic", "google", "meta", "pinterest", "shopify", "woocommerce", "wix"),
    *("etsy", "heureka", "yml", "idealo", "prisjakt"),
)


class ProductFeedOptions(FeedOptions, frozen=True):
    """How a product feed is read and converted; the fields are in the order of the steps."""

    source_kind: Annotated[
        str, option("KIND", f"What the feed was made for: {', '.join(SOURCES)}", "--from", offers=SOURCES)
    ] = "auto"
    recipe: Recipe = None
    split: Annotated[
        list[str] | None,
        option("FIELD=SEP", "Split a list: its first image stays, the others become additional ones"),
    ] = None
    where: Annotated[
        list[str] | None, option("COLUMN=VALUE", "Take only these rows; also != > < >= <=, ~ for a regex")
    ] = None
    set: Annotated[
        list[str] | None, option("FIELD=TEMPLATE", "Fill a field, as in 'title={Brand} {Name}'")
    ] = None
    default: Annotated[list[str] | None, option("FIELD=TEMPLATE", "Fill a field where it is empty")] = None
    currency: Annotated[str | None, option("CODE", "Currency of prices that have none, as in EUR")] = None
    time_zone: Annotated[
        str | None, option("ZONE", "Time zone of sale dates that have none, as in Europe/Berlin")
    ] = None
    base_url: Annotated[str | None, option("URL", "Complete relative addresses of links and images")] = None
    keep: Annotated[Literal["first", "last"] | None, choice("Take one of several rows with the same id")] = (
        None
    )

    fix: Annotated[
        list[str] | None,
        option("NAMES", f"Fix what breaks a rule: all, or some of {', '.join(NAMES)}", offers=(*NAMES, ALL)),
    ] = None

    def open(self, call: Invocation, file: str) -> "Rows":
        """Open a feed, with the steps that convert its rows; raise AdsctlError."""
        return self.open_feed(call, file).rows

    def open_all(self, call: Invocation, files: list[str]) -> "Rows":
        """Open the files that arguments name as one feed; raise AdsctlError."""
        from ...feeds.several import open_several

        return open_several(files, self.access(call), lambda file: self.open_feed(call, file).rows)

    def open_feed(self, call: Invocation, file: "str | Location") -> "OpenedFeed":
        """Open a feed, and tell as which kind it is read."""
        from ...products.normal_form import PRODUCT_SCHEMA

        read = self.reader(call, file, PRODUCT_SCHEMA.roots, PRODUCT_SCHEMA.known)
        opened = self._read_as_kind(read)
        if opened.remark:
            call.messages.say(opened.remark)
        if opened.warning:
            call.messages.warn(opened.warning)
        return opened

    def read_again(self, rows: "Rows") -> "Rows":
        """Return the rows of an opened feed as these options read them, without a word about it."""
        from ...feeds.several import as_one

        return as_one([opened.rows for opened in self.open_again(rows)])

    def open_again(self, rows: "Rows") -> "list[OpenedFeed]":
        """Return each file of an opened feed as these options read it."""
        from ...feeds.reader import read_rows
        from ...feeds.source import Source
        from ...products.normal_form import PRODUCT_SCHEMA

        def reader(feed: "Feed") -> "Read":
            assert isinstance(feed, Source)
            source = feed.encoded(self.encoding)
            roots, field_names = PRODUCT_SCHEMA.roots, PRODUCT_SCHEMA.known
            return lambda renamed: read_rows(source, roots=roots, known=field_names, rename=renamed)

        return [self._read_as_kind(reader(file.source)) for file in rows.files]

    def _read_as_kind(self, read: "Read") -> "OpenedFeed":
        """Read a feed as one of the kind that it is, with the steps that convert its rows."""
        from ...feeds.row import RowTransform
        from ...products.feeds.kinds.reading import open_feed
        from ...products.normal_form import PRODUCT_SCHEMA

        names = parse_fixes(self.fix) if self.fix else ()
        opened = open_feed(
            read,
            self.mapping(PRODUCT_SCHEMA.known),
            PRODUCT_SCHEMA.known,
            PRODUCT_SCHEMA.choices,
            source=self.source_kind,
            recipe=self.recipe,
        )
        if self.where:
            from ...feeds.transforms import Where
            from ...products.feeds.assembly import AssembledRows

            if isinstance(opened.rows, AssembledRows):
                opened.rows.chosen = frozenset(Where.parse(text).column for text in self.where)
        if self.base_url:  # then it is something else that is wrong
            opened.rows.hints = {name: hint for name, hint in opened.rows.hints.items() if name != "link"}
        steps = [*opened.steps, *self._steps(opened.kind)]
        currency, time_zone = (self.currency or "").upper(), self.time_zone or opened.kind.time_zone
        fixes = Fixes(names, currency, time_zone) if names else None
        keep: DuplicatePolicy | None = self.keep or ("identical" if DUPLICATES in names else None)
        opened.rows.transform = RowTransform(steps, keep, fixes)
        return opened

    def _steps(self, kind: "FeedKind") -> "list[Step]":
        """Return the steps that convert rows; options say more than the kind of the feed does."""
        time_zone = self.time_zone if self.time_zone is not None else kind.time_zone or None
        assumed = [f"{field}={value}" for field, value in kind.assumed.items()]
        defaults = [*(self.default or []), *assumed]
        replaced = {self.currency, time_zone, self.base_url}
        if not (self.split or self.where or self.set or defaults) and replaced == {None}:
            return []
        from ...feeds.transforms import DefaultField, SetField, Where
        from ...products.feeds import transforms
        from ...products.normal_form import FIELDS

        return [
            *map(transforms.parse_split, self.split or []),
            *map(Where.parse, self.where or []),
            *(transforms.parse_field(SetField, text, FIELDS) for text in self.set or []),
            *(transforms.parse_field(DefaultField, text, FIELDS) for text in defaults),
            *([transforms.parse_currency(self.currency)] if self.currency is not None else []),
            *([transforms.parse_time_zone(time_zone)] if time_zone is not None else []),
            *([transforms.parse_base_url(self.base_url)] if self.base_url is not None else []),
        ]


class UpdatingFeedOptions(ProductFeedOptions, frozen=True):
    """How a feed is read that has some fields of products; those that it lacks stay as they are."""

    def _read_as_kind(self, read: "Read") -> "OpenedFeed":
        opened = super()._read_as_kind(read)
        opened.rows.is_partial = True
        return opened

    def _steps(self, kind: "FeedKind") -> "list[Step]":
        return super()._steps(msgspec.structs.replace(kind, assumed={}))


class ComparedFeedOptions(ProductFeedOptions, frozen=True):
    """How a feed is read, and with what part of its catalog it is compared."""

    prune: Annotated[bool, flag("Delete products whose ids are not in the feed")] = False
    scope: Annotated[
        str | None, option("FIELD=VALUE", "Compare only products with this value; rows must have it")
    ] = None
    verify: Annotated[bool, flag("List hidden variants too, and rely on no acknowledgement")] = False

    def compare_options(self, *, remembers: bool) -> "CompareOptions":
        """Return what is compared; raise UsageError."""
        from ...products.sync.comparison import CompareOptions

        return CompareOptions(prune=self.prune, verify=self.verify, scope=self._scope, remembers=remembers)

    @property
    def _scope(self) -> "Scope | None":
        from ...products.normal_form import Scope

        return Scope.parse(self.scope) if self.scope is not None else None

    def _steps(self, kind: "FeedKind") -> "list[Step]":
        """Return the steps that convert rows; the last one refuses rows outside of the scope."""
        scope = self._scope
        return [*super()._steps(kind), *([scope] if scope else [])]


class SyncOptions(PushOptions, frozen=True):
    """How differences are sent."""

    max_delete: Annotated[str, option("N|P%", "With --prune: delete nothing where more would be deleted")] = (
        "10%"
    )
    sample: Annotated[int | None, option("N", "With --dry-run: show N differences only", min=1)] = None


class ImageOptions(msgspec.Struct, frozen=True):
    """Whether images are fetched, which ones, and from where."""

    images: Annotated[bool, flag("Fetch the beginning of each image: its format, pixels and bytes")] = False
    images_sample: Annotated[int | None, option("N", "With --images: fetch only N of them", min=1)] = None
    allow_private: Annotated[bool, flag("With --images: fetch from addresses that are not public, too")] = (
        False
    )

    def require_images(self) -> None:
        """Raise UsageError for options that say how images are fetched where none are."""
        options = {"--images-sample": self.images_sample, "--allow-private": self.allow_private}
        for name, is_given in options.items():
            if is_given and not self.images:
                raise UsageError(f"{name} needs --images", hint="without it no image is fetched")
