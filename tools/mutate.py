"""make mutate: put mistakes into the code that matters most, one by one; tests must catch each.

They are those of cosmic-ray's operators, one of each kind at each place, and those of `tools/mistakes.py`.
"""

import argparse
import ast
import difflib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tools.mistakes import MISTAKES
from tools.mutated import EXPLAINED, MODULES

ROOT = Path(__file__).parent.parent
PASSED, FAILED = 0, 1  # exit codes of pytest
TIMEOUT_SECONDS = 300
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--timeout=60", "--timeout-method=thread")


class Mutant(NamedTuple):
    """A file with a mistake, and the tests of which one must fail."""

    name: str
    file: str
    text: str
    tests: tuple[str, ...]
    diff: str


def mutants(file: str, tests: tuple[str, ...], chance: random.Random) -> Iterator[Mutant]:
    """Yield a mutant for each place of a module and each kind of operator."""
    code = (ROOT / file).read_text()
    nodes = [*ast_nodes(get_ast(code))]
    places: dict[tuple, list[tuple[str, int]]] = {}
    for name in operator_names():
        kind = name.partition("/")[2].partition("_")[0]
        if get_operator(name).arguments():
            continue  # VariableInserter and VariableReplacer, which want the name of a variable
        positions = (position for node in nodes for position in get_operator(name)().mutation_positions(node))
        for number, position in enumerate(positions):
            where = [getattr(part, "end_pos", part) for part in position]
            places.setdefault((kind, *where), []).append((name, number))
    original, seen = meaning(code), set()
    for choices in places.values():
        name, number = chance.choice(choices)
        try:
            text = mutate_code(code, get_operator(name)(), number)
        except AttributeError:  # ExceptionReplacer, at a name with a dot
            continue
        changed = meaning(text) if text else original
        if text and changed not in {None, original, *seen}:
            seen.add(changed)
            yield described(file, code, text, tests)


def meaning(code: str) -> str | None:
    """Return what code does, without its annotations; None if it is none."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(node, name, None):
                setattr(node, name, ast.Constant(None))
    return ast.dump(tree)


def described(file: str, code: str, text: str, tests: tuple[str, ...], breaks: str = "") -> Mutant:
    """Name a mutant by its function and the lines that differ, which outlives changes elsewhere."""
    diff = [*difflib.unified_diff(code.splitlines(), text.splitlines(), file, file, n=0, lineterm="")]
    line = int(diff[2].split()[1].strip("-").partition(",")[0])
    if breaks:
        return Mutant(f"{file}: {breaks}", f"{file}:{line}", text, tests, "\n".join(diff))
    names = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    around = [node.name for node in names if node.lineno <= line <= (node.end_lineno or 0)]
    removed, added = (
        " ".join(part[1:].strip() for part in diff[3:] if part.startswith(sign)) for sign in ("-", "+")
    )
    name = f"{file} {'.'.join(around)}: {removed} -> {added}"
    return Mutant(name, f"{file}:{line}", text, tests, "\n".join(diff))


def tried(copies: "SimpleQueue[Path]", python: str, mutant: Mutant) -> str:
    """Run the tests of a mutant in a copy of the project; return what became of it."""
    copy = copies.get()
    path = copy / mutant.file.partition(":")[0]
    original = path.read_text()
    try:
        put(path, mutant.text)
        code = run(copy, python, mutant.tests)
    finally:
        put(path, original)
        copies.put(copy)
    return "survived" if code == PASSED else "caught" if code == FAILED else "broken"


def put(path: Path, text: str) -> None:
    """Write a module, without the bytecode of an earlier one, which may have the same time and size."""
    path.write_text(text)
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()


def run(copy: Path, python: str, tests: tuple[str, ...]) -> int:
    """Return the exit code of pytest; what hangs fails. All that is no mutant is compiled once."""
    environment = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPATH": str(copy), "CRASHES": "1000"}
    with subprocess.Popen(
        (python, *PYTEST, *tests),
        cwd=copy,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return FAILED
    # A module that cannot be imported ends conftest.py (4) or the collection (2).
    return FAILED if process.returncode in (2, 4) and b"Error" in output else process.returncode


def copied(target: Path) -> Path:
    """Copy the files that git knows or would add."""
    words = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in subprocess.check_output(words, cwd=ROOT, text=True).split("\0"):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def main() -> int:
    """Print the survivors; return 1 if one is not explained, or if the tests fail without a mutant."""
    parser = argparse.ArgumentParser(prog="make mutate")
    parser.add_argument("--python", required=True, help="the Python that runs the tests")
    parser.add_argument("--minutes", type=float, default=20, help="0: as long as it takes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--module", default="", help="part of a path")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    chance = random.Random(args.seed)
    modules = {file: tests for file, tests in MODULES.items() if args.module in file}
    chosen = [mutant for file, tests in modules.items() for mutant in mutants(file, tests, chance)]
    for mistake in MISTAKES:
        if args.module in mistake.file:
            code = (ROOT / mistake.file).read_text()
            text = code.replace(mistake.old, mistake.new)
            chosen.append(described(mistake.file, code, text, mistake.tests, mistake.breaks))
    chance.shuffle(chosen)
    begun, counts, wrong = time.monotonic(), Counter[str](), 0
    with (
        tempfile.TemporaryDirectory(prefix="adsctl-mutants-") as folder,
        ThreadPoolExecutor(args.workers) as pool,
    ):
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(args.workers):
            copies.put(copied(Path(folder, str(number))))
        sound = Mutant("", "README.md", (ROOT / "README.md").read_text(), (), "")
        groups = {mutant.tests for mutant in chosen}
        if any(tried(copies, args.python, sound._replace(tests=tests)) != "survived" for tests in groups):
            print("the tests fail without a mutant")
            return 1

        def outcome(mutant: Mutant) -> str:
            is_over = args.minutes and time.monotonic() - begun > 60 * args.minutes
            return "left" if is_over else tried(copies, args.python, mutant)

        for mutant, what in zip(chosen, pool.map(outcome, chosen), strict=True):
            parts = mutant.name.split(" -> ")  # of a line alone, or of one of its mutants
            names = {" -> ".join(parts[:count]) for count in range(1, len(parts) + 1)}
            is_explained = what == "survived" and not names.isdisjoint(EXPLAINED)
            counts["explained" if is_explained else what] += 1
            if what not in ("caught", "left") and not is_explained:
                wrong += 1
                print(f"{what}: {mutant.name}\n  {mutant.file}\n{mutant.diff}\n", flush=True)
    print(f"{len(chosen)} mutants: {dict(counts)}, {time.monotonic() - begun:.0f} s, seed {args.seed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
