"""What docs/architecture.md says of the tree: its packages, files and names."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
WORDS = dict.fromkeys(re.findall(r"`([^`\n]+)`", PAGE))
BUILT = ("build/", "extra-NAME.txt")  # made by commands, or with any name


def test_the_table_lists_every_package_and_module_once():
    table = re.search(r"^\| package .*?\n\n", PAGE, re.M | re.S)[0].strip()
    named = [
        word for row in table.split("\n") for word in re.findall(r"`(\w+(?:/|\.py))`", row.split("|")[1])
    ]
    package = ROOT / "ads_cli"
    folders = [f"{path.parent.name}/" for path in package.glob("*/__init__.py")]
    modules = [path.name for path in package.glob("*.py") if path.name != "__init__.py"]
    assert sorted(named) == sorted([*folders, *modules])


PATHS = [word for word in WORDS if re.fullmatch(r"[\w./-]+(/|\.(py|txt|toml|html|md|yaml))", word)]


def test_every_file_that_is_named_exists():
    named = [path for path in PATHS if not path.startswith(BUILT) and path not in BUILT]
    folders = (ROOT, ROOT / "ads_cli")
    missing = {path for path in named if not any((folder / path).exists() for folder in folders)}
    assert len(named) > 100 and not missing


def test_every_name_of_the_code_is_in_the_code():
    names = [word for word in WORDS if re.fullmatch(r"@?[A-Z_a-z]+(\.[a-z_]+)*", word)]
    sources = [path for folder in ("ads_cli", "tests", "tools") for path in (ROOT / folder).rglob("*.py")]
    words = {
        word for path in sources if path != Path(__file__) for word in re.findall(r"\w+", path.read_text())
    }
    missing = {name for name in names if name.removeprefix("@").rpartition(".")[2] not in words}
    assert len(names) > 100 and not missing


# Promises across subjects, forms of proof, what tests share, and what they read.
OTHER_FOLDERS = {"promises", "chaos", "crash", "model", "processes", "data"}


def test_every_folder_of_tests_is_named_as_the_package_that_it_tests():
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("*.py")} - {Path()}
    ours = {folder for folder in folders if folder.parts[0] not in OTHER_FOLDERS}
    assert len(ours) > 30 and {str(our) for our in ours if not (ROOT / "ads_cli" / our).is_dir()} == set()


def test_every_test_beside_the_folders_is_named_as_the_module_that_it_tests():
    named = {path.name.removeprefix("test_") for path in (ROOT / "tests").glob("test_*.py")}
    assert named and named <= {path.name for path in (ROOT / "ads_cli").glob("*.py")}
