"""A missing extra is named, with a command that adds it to this copy and asks no index for a name of ours."""

import json
import shlex
import sys
import tomllib
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from ads_cli.installation import IMAGE_FILE, Installation
from tests.adsctl import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"].keys() - {"dev"}
WEEK = "--profile local -q stats {} --since 2026-03-02 --until 2026-03-09 --ids 8wku2 --metrics clicks {}"
FLEET = "fleet run fleet.yaml --engine dask --scheduler tcp://127.0.0.1:1"
# For each extra: the feature, the module that is missing without it, a command that needs it.
NEEDED = [
    ("s3", "reading s3://", "s3fs", "products check s3://shop/feed.csv"),
    ("gs", "reading gs://", "gcsfs", "products check gs://shop/feed.csv"),
    ("az", "reading az://", "adlfs", "products check az://shop/feed.csv"),
    ("sftp", "reading sftp://", "sshfs", "products check sftp://shop.example/feed.csv"),
    ("parquet", "reading parquet", "pyarrow", "products check feed.parquet"),
    ("parquet", "writing parquet", "pyarrow", WEEK.format("export", "feed.parquet")),
    ("plot", "--plot", "matplotlib", WEEK.format("get", "--plot o.svg")),
    ("fleet", "--engine dask", "distributed", FLEET),
    ("mcp", "adsctl mcp", "mcp", "mcp"),
    ("mirror", "a mirror in PostgreSQL", "psycopg", "--profile local mirror run --into postgresql:///ads"),
    ("mirror", "a mirror in DuckDB", "duckdb", "--profile local mirror run --into duckdb:ads.db"),
    ("mirror", "a mirror in parquet", "duckdb", "--profile local mirror run --into ads"),
    ("mirror", "a mirror in parquet", "fsspec", "--profile local mirror run --into ads"),
    ("webhooks", "adsctl webhooks serve", "tornado", "--profile local webhooks serve --port 0"),
]
WHEEL = "ads_cli-0.1.0-py3-none-any.whl"


@pytest.mark.parametrize(("extra", "feature", "module", "command"), NEEDED)
def test_a_missing_extra_is_named_with_the_command_that_adds_it(
    adsctl, monkeypatch, extra, feature, module, command
):
    adsctl.file("feed.parquet", b"PAR1")
    adsctl.file("fleet.yaml", "tasks: [{name: a, run: products check feed.csv}]\n")
    for name in [*sys.modules]:
        if name.partition(".")[0] == module or name.startswith("ads_cli.fleet.cluster"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    error = json.loads(adsctl(*command.split(), "-o", "json", code=2).stderr.splitlines()[-1])["error"]
    assert error["message"] == f"{feature} needs the extra ads-cli[{extra}]"
    assert error["hint"].endswith(shlex.join(["pip", "install", "--editable", f"{ROOT}[{extra}]"])[4:])


def test_every_extra_has_such_a_command():
    assert {extra for extra, *_ in NEEDED} == EXTRAS


class Copy:
    """A copy of adsctl, as an installer leaves it."""

    def __init__(self, folder: Path) -> None:
        self.prefix = folder / "ads-cli"
        self.metadata = self.prefix / "ads_cli-0.1.0.dist-info"
        self.metadata.mkdir(parents=True)
        requirements = [
            f"Requires-Dist: {requirement}; extra == '{extra}'"
            for extra, requirements in PROJECT["optional-dependencies"].items()
            for requirement in requirements
        ]
        requirements.append("Requires-Dist: backports.zstd>=1.3; python_version < '3.14'")
        lines = ["Metadata-Version: 2.4", "Name: ads-cli", "Version: 0.1.0", *requirements]
        (self.metadata / "METADATA").write_text("\n".join(lines) + "\n")
        (self.metadata / "INSTALLER").write_text("pip\n")
        self.wheel = folder / "built wheels" / WHEEL
        self.wheel.parent.mkdir()
        self.wheel.touch()

    def came_from(self, url: str, **details: object) -> "Copy":
        (self.metadata / "direct_url.json").write_text(json.dumps({"url": url, **details}))
        return self

    def adding(self, extra: str) -> str:
        return Installation(PathDistribution(self.metadata), self.prefix).adding(extra)


@pytest.fixture
def copy(tmp_path, monkeypatch) -> Copy:
    """A copy that pip installed from a wheel; no other extra is installed."""
    monkeypatch.setattr("ads_cli.installation._is_installed", lambda requirement: False)
    monkeypatch.setattr("ads_cli.installation._active_pip", lambda: ("pip", "install"))
    made = Copy(tmp_path)
    return made.came_from(made.wheel.as_uri(), archive_info={})


# What made the environment, and how an extra is added: from the wheel, and where the wheel is gone.
TOOLS = [
    ("pip", "pip install 'ads-cli[plot] @ {url}'", "pip install 'matplotlib>=3.10'"),
    ("pipx", "pipx install --force '{path}[plot]'", "pipx inject ads-cli 'matplotlib>=3.10'"),
    (
        "uv tool",
        "uv tool install --force 'ads-cli[plot] @ {url}'",
        "uv pip install --python {prefix} 'matplotlib>=3.10'",
    ),
    (
        "uv",
        "uv pip install --python {prefix} 'ads-cli[plot] @ {url}'",
        "uv pip install --python {prefix} 'matplotlib>=3.10'",
    ),
    (
        "container",
        "build the image with --build-arg EXTRAS=plot",
        "build the image with --build-arg EXTRAS=plot",
    ),
]


def made_by(copy: Copy, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"pipx": "pipx_metadata.json", "uv tool": "uv-receipt.toml", "container": IMAGE_FILE}
    if tool in files:
        (copy.prefix / files[tool]).touch()
    if tool.startswith("uv"):
        (copy.metadata / "INSTALLER").write_text("uv")
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)  # uv installs no pip


@pytest.mark.parametrize(("tool", "from_wheel", "wheel_is_gone"), TOOLS, ids=[tool for tool, *_ in TOOLS])
def test_an_extra_comes_from_what_this_copy_came_from_or_by_its_own_packages(
    copy, monkeypatch, tool, from_wheel, wheel_is_gone
):
    made_by(copy, tool, monkeypatch)
    places = {"url": copy.wheel.as_uri(), "path": copy.wheel, "prefix": copy.prefix}
    assert copy.adding("plot") == from_wheel.format(**places)
    copy.wheel.unlink()
    assert copy.adding("plot") == wheel_is_gone.format(**places)


@pytest.mark.parametrize("tool", ["pip", "pipx", "uv tool", "uv"])
@pytest.mark.parametrize("extra", sorted(EXTRAS))
@pytest.mark.parametrize("is_there", [True, False])
def test_no_command_asks_an_index_for_a_name_of_ours(copy, monkeypatch, tool, extra, is_there):
    made_by(copy, tool, monkeypatch)
    if not is_there:
        copy.wheel.unlink()
    words = shlex.split(copy.adding(extra))
    named = [word for word in words if word.startswith(("ads-cli", "ads_cli", "adsctl"))]
    allowed = [word for word in named if " @ file:///" in word]
    assert named == (["ads-cli"] if words[:2] == ["pipx", "inject"] else allowed)  # the environment's name
    assert is_there or PROJECT["optional-dependencies"][extra][0] in words


@pytest.mark.parametrize(
    ("url", "details", "requirement"),
    [
        (f"https://a.example/{WHEEL}", {"archive_info": {}}, f"ads-cli[s3] @ https://a.example/{WHEEL}"),
        (
            "https://git.example/ads.git",
            {"vcs_info": {"vcs": "git", "commit_id": "4fb3"}},
            "ads-cli[s3] @ git+https://git.example/ads.git@4fb3",
        ),
        (f"https://shop:s3cret@a.example/{WHEEL}", {"archive_info": {}}, "s3fs>=2026.2"),
        (f"https://a.example/{WHEEL}?signature=s3cret", {"archive_info": {}}, "s3fs>=2026.2"),
        ("file:///nowhere/ads", {"dir_info": {"editable": True}}, "s3fs>=2026.2"),
        ("", {}, "s3fs>=2026.2"),
    ],
)
def test_a_remote_source_is_named_unless_it_holds_a_secret(copy, url, details, requirement):
    assert copy.came_from(url, **details).adding("s3") == shlex.join(["pip", "install", requirement])


def test_a_source_that_was_never_recorded_or_cannot_be_read_is_not_needed(copy):
    (copy.metadata / "direct_url.json").write_text("{")
    assert copy.adding("s3") == "pip install 's3fs>=2026.2'"
    (copy.metadata / "direct_url.json").unlink()
    assert copy.adding("s3") == "pip install 's3fs>=2026.2'"


def test_a_checkout_stays_editable(copy):
    copy.came_from(ROOT.as_uri(), dir_info={"editable": True})
    assert copy.adding("s3") == f"pip install --editable '{ROOT}[s3]'"


def test_a_folder_is_named_as_one(copy):
    copy.came_from(ROOT.as_uri(), dir_info={})
    assert copy.adding("s3") == f"pip install 'ads-cli[s3] @ {ROOT.as_uri()}'"


@pytest.mark.parametrize("tool", ["pipx", "uv tool", "container"])
def test_what_makes_an_environment_again_keeps_the_extras_that_are_there(copy, monkeypatch, tool):
    made_by(copy, tool, monkeypatch)
    monkeypatch.setattr("ads_cli.installation._is_installed", lambda requirement: "pyarrow" in requirement)
    assert "parquet,plot" in copy.adding("plot")


def test_a_copy_that_no_installer_knows_is_sent_to_the_readme(tmp_path, monkeypatch):
    monkeypatch.setattr("ads_cli.installation.__file__", str(tmp_path / "ads_cli" / "installation.py"))
    assert "README" in Installation(None, tmp_path).adding("plot")
    (tmp_path / "pyproject.toml").touch()
    assert Installation(None, tmp_path).adding("plot").endswith(f"--editable '{tmp_path}[plot]'")


def test_the_pip_of_this_environment_is_named_whichever_one_is_active(tmp_path, monkeypatch):
    copy = Copy(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert copy.adding("s3") == shlex.join([sys.executable, "-m", "pip", "install", "s3fs>=2026.2"])
    monkeypatch.setattr("shutil.which", lambda name: str(Path(sys.executable).with_name("pip")))
    assert copy.adding("s3") == "pip install 's3fs>=2026.2'"


def test_commands_are_quoted_for_the_shells_of_windows(copy, monkeypatch):
    copy.wheel.unlink()
    monkeypatch.setattr("ads_cli.installation.IS_WINDOWS", True)
    assert copy.adding("s3") == 'pip install "s3fs>=2026.2"'
