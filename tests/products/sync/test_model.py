"""Properties of a comparison: any feed, any catalog, whatever is hidden or remembered."""

from unicodedata import normalize

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ads_cli.api.product_ids import id_form
from tests.conftest import PRODUCT
from tests.products.sync.world import World

IDS = st.sampled_from("abcdef")
VALUES = st.fixed_dictionaries(
    {"price": st.sampled_from(["1.0 EUR", "1.00 EUR", "2 EUR"])},
    optional={
        "item_group_id": st.sampled_from(["mugs", "cups"]),
        "brand": st.sampled_from(["North", "Polar"]),
    },
)
COLORED = st.fixed_dictionaries({}, optional={"color": st.sampled_from(["red", "blue"])})
PRODUCTS = st.dictionaries(IDS, st.builds(dict.__or__, VALUES, COLORED))
# A feed has no color, or a column for it; some of its rows are invalid.
FEEDS = st.dictionaries(IDS, VALUES, min_size=1) | st.dictionaries(
    IDS, st.builds(dict.__or__, VALUES, COLORED), min_size=1
)
INVALID = st.frozensets(IDS)
WORLDS = st.builds(World, service=st.sampled_from(["generic", "x"]), hides_variants=st.booleans())
FLAGS = st.booleans()
RED, PLAIN, DEARER, BLUE = (
    {"price": "1.00 EUR", "color": "red"},
    {"price": "1.00 EUR"},
    {"price": "2 EUR"},
    {"price": "1.00 EUR", "color": "blue"},
)


def meaning(product: dict) -> dict:
    """Return what a product means, whatever form its values have."""
    ignored = ("product_key", "item_group_key")
    kept = {name: value for name, value in product.items() if name not in ignored}
    return kept | {"price": float(kept["price"].split()[0])}


def rows_of(feed: dict, invalid: frozenset = frozenset()) -> list[dict]:
    """Return the rows of a feed; an invalid one has a wrong price."""
    return [{"id": id, **values, **({"price": "x"} if id in invalid else {})} for id, values in feed.items()]


def by_id(world: World) -> dict[str, dict]:
    return {product["id"]: product for product in world.products.values()}


def fill(world: World, products: dict, remembered: dict) -> None:
    for id, values in products.items():
        world.put(PRODUCT | {"id": id} | values)
    world.remembered = {id: PRODUCT | {"id": id} | values for id, values in remembered.items()}


@settings(deadline=None)
@example(World("x"), {"a": RED}, {"a": PLAIN, "b": BLUE}, False)  # a row empties a column
@example(World("generic"), {"a": RED}, {"a": DEARER}, False)  # a feed has no such column
@given(WORLDS, PRODUCTS, FEEDS, FLAGS)
def test_differences_that_are_applied_make_the_catalog_the_feed(world, products, feed, verify):
    fill(world, products, {})
    before = by_id(world)
    changes, counts = world.differences(rows_of(feed), prune=True, verify=verify)
    assert counts.unchanged + sum(change.action != "delete" for change in changes) == len(feed)
    world.apply(changes)
    after, columns = by_id(world), {name for row in feed.values() for name in row}
    for id, values in feed.items():
        if id in before.keys() - world.seen:
            continue  # it was sent without knowing what the catalog has
        kept = {name: value for name, value in before.get(id, {}).items() if name not in columns}
        assert meaning(after[id]) == meaning(kept | PRODUCT | {"id": id} | values)
    assert world.seen & after.keys() <= feed.keys()


@settings(deadline=None)
@given(WORLDS, PRODUCTS, FEEDS, FLAGS, FLAGS)
def test_what_was_applied_and_acknowledged_differs_no_more(world, products, feed, verify, prune):
    fill(world, products, {})
    changes, _ = world.differences(rows_of(feed), prune=prune, verify=verify)
    world.apply(changes)
    world.remembered = {id: PRODUCT | {"id": id} | values for id, values in feed.items()}
    again, counts = world.differences(rows_of(feed))
    # What the catalog hides in a group that the feed does not name looks as if it were missing.
    hidden = {id for id, values in feed.items() if id not in world.seen and "item_group_id" not in values}
    assert {change.id for change in again} <= hidden and counts.not_kept == 0
    assert counts.unchanged + counts.unseen + len(again) == len(feed)


@settings(deadline=None)
@given(WORLDS, PRODUCTS, FEEDS, INVALID, st.frozensets(IDS), FLAGS)
def test_no_product_is_deleted_whose_id_is_in_the_feed_or_that_was_not_seen(
    world, products, feed, invalid, remembered, verify
):
    fill(world, products, {id: values for id, values in feed.items() if id in remembered - invalid})
    changes, _ = world.differences(rows_of(feed, invalid), prune=True, verify=verify)
    deleted = {change.id for change in changes if change.action == "delete"}
    assert deleted == world.seen - feed.keys()
    assert {change.product_key for change in changes if change.action == "delete"} <= world.products.keys()
    assert {change.id for change in changes if change.action != "delete"} <= feed.keys() - invalid


@settings(deadline=None)
@example(World("generic"), {"a": RED}, {"a": PLAIN}, frozenset("a"))  # a feed has no such column
@given(WORLDS, PRODUCTS, FEEDS, st.frozensets(IDS))
def test_every_row_is_unchanged_or_sent_or_unseen_or_not_kept(world, products, feed, remembered):
    fill(world, products, {id: values for id, values in feed.items() if id in remembered})
    changes, counts = world.differences(rows_of(feed), remembers=True)
    unseen_and_sent = len(changes) + counts.unchanged + counts.unseen + counts.not_kept - len(feed)
    assert unseen_and_sent == sum(change.is_unseen for change in changes) <= counts.unseen
    not_sent = feed.keys() - {change.id for change in changes}
    assert not_sent - remembered <= world.seen
    columns = {name for row in feed.values() for name in PRODUCT | row} | {"id"}
    # A row was remembered as pushed, and is remembered as one beside which other values stay.
    stay = {id for id, values in by_id(world).items() if meaning(values).keys() - columns} & world.seen
    as_pushed = remembered - (stay if world.service == "generic" else set())
    assert len(counts.equal) == len(not_sent - as_pushed)
    records = [change.record for change in changes]
    assert records == sorted(records) and [[*feed][record - 1] for record in records] == [
        c.id for c in changes
    ]


ODD_IDS = st.sampled_from(
    ["a", "A", " a", "a\u200b", "b", "1.10", "1.1", "01.1", "u\u0308", "\u00fc", "1e2", "100"]
)


@settings(deadline=None)
@given(
    st.sampled_from([str, str.strip, str.upper, str.casefold, id_form, lambda id: normalize("NFD", id)]),
    st.dictionaries(ODD_IDS, VALUES),
    st.dictionaries(ODD_IDS, VALUES, min_size=1),
    INVALID,
)
def test_whatever_form_a_service_stores_ids_in_no_product_of_a_row_is_deleted(
    stores, products, feed, invalid
):
    world = World(stores=stores)
    fill(world, products, {})
    changes, _ = world.differences(rows_of(feed, invalid), prune=True)
    forms = {*map(id_form, feed)}
    deleted = {change.id for change in changes if change.action == "delete"}
    assert deleted == {id for id in world.seen if id_form(id) not in forms}
    world.apply(changes)
    for id in feed.keys() - invalid:
        assert stores(id) in by_id(world)
