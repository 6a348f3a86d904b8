"""A row with some fields of a product is completed by what the catalog has of it."""

import pickle
import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.feeds.row import Row, RowTransform
from ads_cli.products.normal_form import COMPARED
from ads_cli.products.sync.listed_products import ListedProducts
from ads_cli.products.sync.row_comparison import Completion
from tests.effort import tries

FIELDS = sorted(set(COMPARED) - {"id"})
VALUES = st.dictionaries(st.sampled_from(FIELDS), st.text(min_size=1, max_size=9))


@settings(max_examples=tries(20, 100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(min_size=1, max_size=9), VALUES, VALUES, st.sets(st.sampled_from(FIELDS)), st.booleans())
def test_a_row_decides_on_its_fields_and_the_catalog_on_the_others(id, listed, given, emptied, is_copied):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "listing.db"
        with closing(ListedProducts.create(path)) as listing:
            listing.add([listed | {"id": id, "product_key": "k"}])
            listing.finish()
        completion = Completion(RowTransform(), path, emptied)
        completion = pickle.loads(pickle.dumps(completion)) if is_copied else completion
        row, other = Row(1, {"id": id, **given}), Row(2, {"id": f"{id}!", **given})
        completion.apply(row)
        completion.apply(other)
    kept = {name: value for name, value in listed.items() if name not in emptied}
    assert row.values == kept | given | {"id": id} and not row.problem
    assert other.values == {"id": f"{id}!", **given} and "is not in the catalog" in other.problem


def test_a_list_of_the_catalog_completes_a_row_as_a_cell_whatever_its_items_are(tmp_path):
    with closing(ListedProducts.create(tmp_path / "listing.db")) as listing:
        listing.add([{"id": "1", "title": "Mug", "additional_image_link": ["https://a.example", 2]}])
        listing.finish()
    row = Row(1, {"id": "1"})
    Completion(RowTransform(), tmp_path / "listing.db", set()).apply(row)
    assert row.values["additional_image_link"] == "https://a.example,2"
