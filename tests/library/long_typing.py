"""What a type checker knows of the module: the examples of docs/python.md pass, and mistakes do not."""

import re
import subprocess
import sys

import pytest

from tests.adsctl import ROOT

EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.S)
MISTAKES = """
import ads_cli

with ads_cli.connect("local") as ads:
    reveal_type(ads.list("campaigns"))
    reveal_type(ads.get("line-items", "7k2b1"))
    reveal_type(ads.push("products", "feed.csv").rejected[0].line)
    reveal_type(ads.sync("audiences", "people.csv", audience="1nmth").job)
    reveal_type(ads.stats(since="7d")[0])
    reveal_type(ads.apply(ads.plan("shop.yaml"), confirm=lambda question: True))
    ads.list("campaign")
    ads.get("stats", "x")
    ads.push("audiences", "people.csv")
    ads.push("campaigns", "people.csv")
    ads.call("campaigns list", confirm="yes")
    ads.upload(1)
try:
    ads.close()
except ads_cli.AdsctlError as error:
    reveal_type((error.exit_code, error.api_code, error.hint, error.retryable))
ads_cli.client
"""
REVEALED = [
    "Iterator[dict[str, Any]]",
    "dict[str, Any]",
    "int",
    "str | None",
    "dict[str, Any]",
    "ads_cli.library.results.Rows",
    "tuple[int, int | str | None, str, bool]",
]


def checked(tmp_path, code: str, *options: str) -> list[str]:
    file = tmp_path / "program.py"
    file.write_text(code)
    words = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file=",
        *options,
        "--cache-dir",
        str(tmp_path),
        str(file),
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    return [line.removeprefix(f"{file}:") for line in done.stdout.splitlines() if "program.py:" in line]


@pytest.mark.timeout(600)
def test_the_examples_of_the_page_pass_and_mistakes_do_not(tmp_path):
    examples = "\n".join(
        f"def example_{number}() -> None:\n" + "".join(f"    {line}\n" for line in code.splitlines())
        for number, code in enumerate(EXAMPLES)
    )
    assert checked(tmp_path, examples) == []
    lines = checked(tmp_path, MISTAKES, "--strict")
    revealed = [line.split('"')[1] for line in lines if "Revealed type" in line]
    normal = [re.sub(r"\b(builtins|typing|collections\.abc)\.", "", kind) for kind in revealed]
    assert normal == REVEALED
    wrong = [int(line.partition(":")[0]) for line in lines if ": error:" in line]
    expected = [number for number, line in enumerate(MISTAKES.splitlines(), 1) if re.search(LOUD, line)]
    assert sorted({*wrong}) == expected


LOUD = (
    r'"campaign"|"stats", "x"|push\("audiences"|push\("campaigns"|confirm="yes"|upload\(1\)|ads_cli\.client$'
)
