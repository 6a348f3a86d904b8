"""What another user may change is not obeyed: settings, secrets, and the folders that hold them."""

import os
from pathlib import Path

import pytest

from tests.conftest import feed
from tests.programs import needs

OTHER_USER = 12345
PROFILE = "profiles: {shop: {account: 18ce54d4x5t}}\n"
NETRC = "machine localhost login me password sesame\n"
OK, WARNED, REFUSED = "ok", "warned", "refused"


class Place:
    """A file or folder that adsctl obeys, and a command that does."""

    def __init__(self, adsctl, name: str) -> None:
        self.adsctl = adsctl
        home = adsctl.home
        (home / "config").mkdir()
        adsctl.file("feed.csv", feed(2))
        self.path: Path = {
            "config.yaml": adsctl.file("config/config.yaml", PROFILE),
            "config": home / "config",
            "state": home / "state",
            "env file": adsctl.file("work.env", "ADSCTL_ACCOUNT=18ce54d4x5t\n"),
            "recipe": adsctl.file("recipe.yaml", "columns: {name: title}\n"),
            "secrets.json": adsctl.file("config/secrets.json", "{}"),
            "netrc": adsctl.file(".netrc", NETRC),
        }[name]
        (home / "state").mkdir(exist_ok=True)
        for path in (*home.iterdir(), *(home / "config").iterdir()):
            path.chmod(0o700 if path.is_dir() else 0o600)
        check = ("products", "check", "feed.csv")
        self.words = {
            "env file": (*check, "--env-file", "work.env"),
            "recipe": (*check, "--recipe", "recipe.yaml"),
            "secrets.json": ("auth", "status"),
            "netrc": ("products", "check", "http://localhost:9/feed.csv", "--max-attempts", "1"),
        }.get(name, check)
        if name == "secrets.json":
            adsctl.env["ADSCTL_TOKEN_STORE"] = "file"

    def run(self) -> tuple[str, str]:
        """Run the command; return how the place was judged, and standard error."""
        done = self.adsctl(*self.words, code=None)
        about = [
            line for line in done.stderr.splitlines() if "can be changed by" in line or "belongs to" in line
        ]
        if done.returncode == 11:
            return REFUSED, done.stderr
        return (WARNED if any(line.startswith("warning") for line in about) else OK), done.stderr


@pytest.fixture
def place(adsctl, request):
    return Place(adsctl, request.param)


SECRET = ("env file", "secrets.json", "netrc")
OTHERS = ("config.yaml", "config", "state", "recipe")


@pytest.mark.parametrize("place", [*SECRET, *OTHERS], indirect=True)
def test_what_only_its_owner_may_change_is_obeyed(place):
    assert place.run()[0] == OK


@pytest.mark.parametrize("place", [*SECRET, *OTHERS], indirect=True)
def test_what_everybody_may_change_is_refused(place):
    place.path.chmod(place.path.stat().st_mode | 0o002)
    judged, stderr = place.run()
    assert judged == REFUSED and f"{place.path} can be " in stderr and "chmod" in stderr


@pytest.mark.parametrize("place", SECRET, indirect=True)
def test_secrets_that_a_group_may_change_are_refused(place):
    place.path.chmod(place.path.stat().st_mode | 0o020)
    judged, stderr = place.run()
    assert judged == REFUSED and f"{place.path} can be " in stderr


@pytest.mark.parametrize("place", OTHERS, indirect=True)
def test_what_else_a_group_may_change_earns_a_warning(place):
    place.path.chmod(place.path.stat().st_mode | 0o020)
    judged, stderr = place.run()
    assert judged == WARNED and f"{place.path.name} can be changed by its group" in stderr


@needs("root")
@pytest.mark.parametrize("place", [*SECRET, *OTHERS], indirect=True)
def test_what_another_user_owns_is_refused(place):
    os.chown(place.path, OTHER_USER, OTHER_USER)
    judged, stderr = place.run()
    assert judged == REFUSED and f"{place.path} belongs to another user (uid {OTHER_USER})" in stderr


@pytest.mark.parametrize("place", [*SECRET, *OTHERS], indirect=True)
def test_the_target_of_a_link_is_judged(place):
    target = place.path.rename(place.adsctl.home / "target")
    place.path.symlink_to(target)
    assert place.run()[0] == OK
    target.chmod(target.stat().st_mode | 0o002)
    assert place.run()[0] == REFUSED


@pytest.mark.parametrize("place", ["env file"], indirect=True)
def test_folders_above_are_judged_up_to_the_home_folder(place):
    folder = place.adsctl.home / "shared" / "inner"
    folder.mkdir(parents=True)
    place.path.rename(folder / "work.env")
    place.words = (*place.words[:-1], "shared/inner/work.env")
    assert place.run()[0] == OK
    folder.parent.chmod(0o777)
    assert place.run()[0] == REFUSED
    folder.parent.chmod(0o1777)  # as /tmp is: nobody can rename what others have there
    assert place.run()[0] == OK
    folder.parent.chmod(0o775)
    assert place.run()[0] == OK
    place.adsctl.home.parent.chmod(0o777)
    try:
        assert place.run()[0] == OK  # above the home folder
    finally:
        place.adsctl.home.parent.chmod(0o700)


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("--help",),
        ("products", "push", "--help"),
        ("help", "files"),
        ("help", "endpoints"),
        ("help", "fields"),
    ],
)
def test_help_and_the_version_are_shown_whatever_others_may_change(adsctl, words):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", PROFILE).chmod(0o666)
    (adsctl.home / "config").chmod(0o777)
    assert adsctl(*words).stdout


@pytest.mark.parametrize("kind", ["profiles", "jobs", "accounts"])
def test_completion_does_not_fail_whatever_others_may_change(adsctl, kind):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", PROFILE).chmod(0o666)
    done = adsctl("__ids", kind)
    assert done.stderr == "" and "shop" not in done.stdout
