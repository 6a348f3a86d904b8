"""An upload of a video beside a bare loop of the same requests; and the memory of a large one.

Usage: python media.py ADDRESS FILE THREADS   (the bare loop)
"""

import os
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .table import Table

SEGMENT = 1024 * 1024
LATENCY, THREADS = 0.05, 8
UPLOAD, FLOOR = "media upload", "bare loop"
LARGE_MEGABYTES, MOST_MEGABYTES = 500, 120
LEAST = 0.9
SIGNED = "OAuth " + ", ".join(f'oauth_part_{n}="{"x" * 24}"' for n in range(7))  # as long as a real header
SAMPLE = Path(__file__).parent.parent / "tests" / "media" / "samples" / "high.mp4"


def video(path: Path, megabytes: int) -> Path:
    """Write a video of so many bytes: most of it is a box that players skip."""
    whole = SAMPLE.read_bytes()
    filling = megabytes * SEGMENT - len(whole)
    with path.open("wb") as file:
        file.write(whole + filling.to_bytes(4, "big") + b"free")
        for _ in range(filling // SEGMENT):
            file.write(os.urandom(SEGMENT))
        file.truncate(megabytes * SEGMENT)
    return path


def uploads(table: "Table", env: Mapping[str, str], folder: Path, megabytes: int, runs: int) -> None:
    """Upload a video, each round with a new state folder; compare speed and memory to their bars."""
    from .peers import ADSCTL, PYTHON
    from .running import HERE, Command, Cost, interleaved, load_server, measured, signed_in
    from .table import Bar

    how = f"{LATENCY * 1000:.0f} ms of latency, {THREADS} at a time, medians of {runs}"
    table.begin(f"upload of {megabytes:,} MB, {how}")
    path, found, rounds = video(folder / "clip.mp4", megabytes), list[Cost](), iter(range(1000))

    def upload(file: Path, address: str) -> Cost:
        own = {**env, **signed_in(address), "ADSCTL_STATE_DIR": str(folder / f"media-{next(rounds)}")}
        return measured([ADSCTL, "-q", "media", "upload", str(file), "--concurrency", str(THREADS)], own)

    def timed() -> float:
        found.append(upload(path, address))
        return found[-1].seconds

    with load_server(LATENCY) as address:
        bare = Command([PYTHON, str(HERE / "media.py"), address, str(path), str(THREADS)], env)
        samples = interleaved({FLOOR: bare.time, UPLOAD: timed}, runs)
    table.speed(FLOOR, megabytes, samples)
    table.speed(UPLOAD, megabytes, samples, [Bar(FLOOR, least=LEAST)])
    path.unlink()
    large = video(folder / "large.mp4", LARGE_MEGABYTES) if table.judges else path
    if table.judges:
        with load_server(0) as address:
            found.append(upload(large, address))
        large.unlink()
    table.limit("peak memory", max(ran.megabytes for ran in found), MOST_MEGABYTES, "MB")


def main(address: str, path: str, threads: str) -> None:
    """Send the requests of an upload: begin, every segment, end, and the entry in the library."""
    import httpx

    limits = httpx.Limits(max_connections=int(threads), max_keepalive_connections=int(threads))
    headers = {"Authorization": SIGNED}
    upload = "/2/media/upload"
    with (
        httpx.Client(base_url=address, limits=limits, headers=headers) as client,
        Path(path).open("rb") as file,
        ThreadPoolExecutor(int(threads)) as pool,
    ):
        total = os.fstat(file.fileno()).st_size

        def send(number: int) -> None:
            content = os.pread(file.fileno(), SEGMENT, number * SEGMENT)
            form = {"data": {"segment_index": str(number)}, "files": {"media": content}}
            client.post(f"{upload}/1/append", **form).raise_for_status()

        body = {"media_type": "video/mp4", "media_category": "amplify_video", "total_bytes": total}
        client.post(f"{upload}/initialize", json=body).raise_for_status()
        for _ in pool.map(send, range(-(-total // SEGMENT))):
            pass
        client.post(f"{upload}/1/finalize").raise_for_status()
        library = "/12/accounts/acc/media_library"
        client.post(library, params={"media_key": "13_1", "name": "clip"}).raise_for_status()


if __name__ == "__main__":
    main(*sys.argv[1:])
