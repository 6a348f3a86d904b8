"""Batches of targeting criteria: all of them, or none."""

import pytest

from tests.emulator.seeded import REACH

from .wire_names import service_name, x_only  # noqa: F401


@pytest.fixture
def send(local):
    path = f"/12/batch/accounts/{local.emulator.account}/targeting_criteria"
    return lambda *operations: local.send("POST", path, json_body=[*operations])


@pytest.fixture
def targeted(local):
    path = f"/12/accounts/{local.emulator.account}/targeting_criteria"
    return lambda: [
        record["id"] for record in local.get(path, line_item_ids=REACH, count=1000).json()["data"]
    ]


def create(targeting_type: str, value: str) -> dict:
    fields = {"line_item_id": REACH, "targeting_type": targeting_type, "targeting_value": value}
    return {"operation_type": "Create", "params": fields | {"operator_type": "EQ"}}


def delete(criterion: str) -> dict:
    return {"operation_type": "Delete", "params": {"targeting_criterion_id": criterion}}


def test_criteria_are_created_and_deleted_in_their_order(send, targeted):
    before = targeted()
    answer = send(create("AGE", "AGE_21_TO_34"), create("GENDER", "1"), delete(before[0]))
    added = [record["id"] for record in answer.json()["data"]]
    assert [record["deleted"] for record in answer.json()["data"]] == [False, False, True]
    assert targeted() == [*before[1:], *added[:2]]


@pytest.mark.parametrize(
    "wrong",
    [
        create("AGE", "AGE_35_TO_49"),  # the second bucket
        create("GENDER", "3"),
        create("CUSTOM_AUDIENCE", "none"),
        delete("none"),
        {"operation_type": "Update", "params": {"targeting_criterion_id": "ft10a"}},
    ],
)
def test_one_mistake_and_nothing_is_applied(send, targeted, wrong):
    before = targeted()
    answer = send(create("AGE", "AGE_21_TO_34"), create("LANGUAGE", "sv"), wrong)
    assert answer.status_code == 400
    assert [bool(failures) for failures in answer.json()["operation_errors"]] == [False, False, True]
    assert targeted() == before


@x_only
@pytest.mark.parametrize(("count", "status"), [(500, 200), (501, 400)])
def test_a_batch_has_at_most_five_hundred_criteria(send, count, status):
    keywords = [create("BROAD_KEYWORD", f"wool {number}") for number in range(count)]
    assert send(*keywords).status_code == status
