"""Lists of posts and cards that name files: all uploaded first, each once, and each record created once."""

import json
import time

import pytest

from tests.effort import tries
from tests.media.long_interrupted_uploads import Counted
from tests.media.made import gif, picture

AUTHOR = "1184672519"
POSTS = f"""
- as_user_id: {AUTHOR}
  text: One
  media: hero.png
- as_user_id: {AUTHOR}
  text: Two
  media: [hero.png, other.png]
- as_user_id: {AUTHOR}
  text: Three
"""


@pytest.fixture
def ads(tmp_path):
    """A folder with two images and a list of three posts."""
    folder = tmp_path / "ads"
    folder.mkdir()
    (folder / "hero.png").write_bytes(picture("PNG", 1200, 628))
    (folder / "other.png").write_bytes(picture("PNG", 800, 800))
    (folder / "list.yaml").write_text(POSTS)
    return folder


def posts(adsctl, kind="posts") -> list[str]:
    words = ("list", "--post-type", "PUBLISHED", "--all") if kind == "posts" else ("list", "--all")
    listed = json.loads(adsctl(*kind.split(), *words, "-o", "json").stdout)
    return [post.get("full_text") or post.get("text") for post in listed]


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_a_list_is_sent_in_its_order_with_each_file_uploaded_once(adsctl, service, ads):
    requests = Counted(service)
    made = json.loads(adsctl("posts", "create", "-f", "ads/list.yaml", "-o", "json").stdout)
    one, two, three = ((post.get("media_keys") or []) for post in made)
    assert one == two[:1] and len(two) == 2 and three == []
    assert requests.count("POST upload") == 2
    last_upload = max(n for n, path in enumerate(requests.paths) if path == "POST media_library")
    assert all("POST upload" not in path for path in requests.paths[last_upload + 1 :])


def test_a_record_counts_once_for_the_guard_though_its_files_are_uploaded_after_it_was_judged(
    adsctl, service, ads
):
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "max_changes: 7\n"))}
    requests = Counted(service)
    adsctl("posts", "create", "-f", "ads/list.yaml", **env)
    assert len(requests.paths) == 7  # two uploads, which are added to the library, and three posts
    adsctl.file("guard.yaml", "max_changes: 3\n")
    (ads / "new.png").write_bytes(picture("PNG", 600, 600))
    adsctl("posts", "create", "--as-user-id", AUTHOR, "--text", "Four", "--media", "ads/new.png", **env)
    assert len(requests.paths) == 10 and {"One", "Four"} <= {*posts(adsctl)}


def test_tables_and_other_formats_name_files_too(adsctl, service, ads):
    (ads / "list.csv").write_text('text,media\nA,hero.png\nB,"hero.png,other.png"\nC,\n')
    made = json.loads(adsctl("posts", "drafts", "create", "-f", "ads/list.csv", "-o", "json").stdout)
    assert [len(draft.get("media_keys") or []) for draft in made] == [1, 2, 0]
    record = {"text": "D", "media": "other.png", "scheduled_at": f"{time.gmtime().tm_year + 1}-01-01T08:00Z"}
    (ads / "list.jsonl").write_text(f"{json.dumps(record)}\n{json.dumps(record | {'text': 'E'})}\n")
    adsctl("posts", "scheduled", "create", "-f", "ads/list.jsonl")
    assert {"D", "E"} <= {*posts(adsctl, "posts scheduled")}


def test_a_list_of_cards_names_files_in_components_and_beside_them(adsctl, service, ads):
    details = {
        "type": "DETAILS",
        "title": "Mugs",
        "destination": {"type": "WEBSITE", "url": "https://a.example"},
    }
    cards = [
        {"name": "In", "components": [{"type": "MEDIA", "media": "hero.png"}, details]},
        {"name": "Beside", "media": "hero.png", "components": [details]},
    ]
    (ads / "cards.json").write_text(json.dumps(cards))
    requests = Counted(service)
    made = json.loads(adsctl("cards", "create", "-f", "ads/cards.json", "-o", "json").stdout)
    first, second = (card["components"][0]["media_key"] for card in made)
    assert first == second and requests.count("POST upload") == 1


def test_polls_and_conversations_take_lists(adsctl, service, ads):
    poll = "{name: %s, media: hero.png, duration_in_minutes: 60, first_choice: A, second_choice: B}"
    (ads / "polls.yaml").write_text(f"- {poll % 'P'}\n- {poll % 'Q'}\n")
    made = json.loads(adsctl("cards", "poll", "create", "-f", "ads/polls.yaml", "-o", "json").stdout)
    assert [card["name"] for card in made] == ["P", "Q"]


@pytest.mark.parametrize("is_list", [False, True])
def test_several_files_where_one_is_meant_are_refused_and_none_is_uploaded(adsctl, service, ads, is_list):
    media = "[hero.png, hero.png]"
    poll = f"{{name: P, media: {media}, duration_in_minutes: 60, first_choice: A, second_choice: B}}"
    (ads / "poll.yaml").write_text(f"[{poll}]" if is_list else poll)
    requests = Counted(service)
    done = adsctl("cards", "poll", "create", "-f", "ads/poll.yaml", code=3)
    assert "ads/poll.yaml" in done.stderr and "media: is for one file" in done.stderr
    assert not requests.paths


def test_a_dry_run_names_the_files_and_sends_nothing(adsctl, service, ads):
    requests = Counted(service)
    done = adsctl("posts", "create", "-f", "ads/list.yaml", "--dry-run", "-o", "json")
    assert done.stdout.count("media%20of%20hero.png") == 2 and requests.paths == []


def test_one_file_that_breaks_a_rule_keeps_all_records_from_being_created(adsctl, service, ads):
    (ads / "other.png").write_bytes(gif(400))
    requests = Counted(service)
    done = adsctl("posts", "create", "-f", "ads/list.yaml", code=3)
    assert "ads/other.png" in done.stderr and "gif_frames" in done.stderr
    assert requests.paths == []
    (ads / "other.png").unlink()
    assert "other.png" in adsctl("posts", "create", "-f", "ads/list.yaml", code=2).stderr
    (ads / "list.yaml").write_text("- {text: A, media: {a: b}}\n- {text: B}\n")
    assert (
        "media: must be the name of a file"
        in adsctl("posts", "drafts", "create", "-f", "ads/list.yaml", code=3).stderr
    )
    assert requests.paths == []


def test_where_an_upload_is_refused_nothing_is_created_and_the_list_can_be_sent_later(adsctl, service, ads):
    before = posts(adsctl)
    service.fail("POST /2/media/upload status=400 times=1")
    adsctl("posts", "create", "-f", "ads/list.yaml", code=6)
    assert posts(adsctl) == before
    adsctl("posts", "create", "-f", "ads/list.yaml")
    assert sorted(posts(adsctl)) == sorted([*before, "One", "Two", "Three"])


def test_where_the_service_is_away_a_resume_uploads_and_creates_the_rest(adsctl, service, ads):
    before = posts(adsctl)
    requests = Counted(service)
    service.fail("POST /2/media/upload status=503 times=1")
    done = adsctl("posts", "create", "-f", "ads/list.yaml", "--max-attempts", "1", code=8)
    assert "--resume" in done.stderr and posts(adsctl) == before
    requests.paths.clear()
    adsctl("posts", "create", "-f", "ads/list.yaml", "--resume")
    assert requests.count("POST upload") == 2
    assert sorted(posts(adsctl)) == sorted([*before, "One", "Two", "Three"])


def test_a_record_that_is_refused_does_not_keep_the_others(adsctl, service, ads, tmp_path):
    service.fail("POST /12/accounts/*/post status=400 times=1")
    words = ("-f", "ads/list.yaml", "--failed-out", "failed.yaml", "-o", "json")
    done = adsctl("posts", "create", *words, code=9)
    assert len(json.loads(done.stdout)) == 2
    assert "One" in (tmp_path / "failed.yaml").read_text()


@pytest.mark.parametrize("at", range(0, 9, tries(3, 1)))
def test_after_a_kill_at_any_request_a_resume_uploads_and_creates_nothing_twice(adsctl, service, ads, at):
    before = posts(adsctl)
    requests = Counted(service)
    answer, process = service.answer, []

    def killing(environ, start_response):
        response = answer(environ, start_response)  # applied, but the answer reaches nobody
        if len(requests.paths) == at + 1 and process[0].poll() is None:
            process[0].kill()
            process[0].wait()
        return response

    service.answer = killing
    process.append(adsctl.popen("posts", "create", "-f", "ads/list.yaml", "-q"))
    code = process[0].wait()
    service.settle()
    if code:
        words = ("posts", "create", "-f", "ads/list.yaml", "--resume", "--uncertain", "skip")
        adsctl(*words, code=None)
    made = posts(adsctl)
    assert sorted(made) == sorted([*before, "One", "Two", "Three"])
    finalized = requests.count("POST upload")
    assert finalized <= 3  # one whose answer nobody has seen is sent again


def test_a_path_that_leaves_the_folder_of_its_document_is_told(adsctl, service, ads, tmp_path):
    (tmp_path / "logo.png").write_bytes(picture("PNG", 800, 800))
    (ads / "list.yaml").write_text("- {text: A, media: ../logo.png}\n- {text: B, media: hero.png}\n")
    done = adsctl("posts", "drafts", "create", "-f", "ads/list.yaml", "-v")
    assert "../logo.png is outside of the folder of its document" in done.stderr
    assert "hero.png is outside" not in done.stderr
    (ads / "list.yaml").rename(tmp_path / "list.yaml")
    (tmp_path / "list.yaml").write_text(f"{{text: C, media: {ads.parent.parent / 'far.png'}}}\n")
    (ads.parent.parent / "far.png").write_bytes(picture("PNG", 800, 800))
    done = adsctl("posts", "drafts", "create", "-f", "list.yaml", "-v")
    assert "far.png is outside of the folder of its document" in done.stderr


def test_one_file_for_two_uses_is_checked_for_both(adsctl, service, tmp_path):
    (tmp_path / "small.png").write_bytes(picture("PNG", 382, 200))  # which is enough for a poster
    words = (
        "cards", "video-conversation", "create", "--name", "T",
        "--media", "small.png", "--poster", "small.png",
        "--title", "Which?", "--first-cta", "#A", "--first-cta-tweet", "A", "--thank-you-text", "B",
    )  # fmt: skip
    assert "card_width" in adsctl(*words, code=3).stderr
