"""Reads many broken mails, and some that were built to break a reader, with the one parser of mails.

python tests/benchmarks/fuzz_mail.py [--mails 100000] [--seed 0] [--batch 2000]

Real mails are broken where there are any beside the repository, else generated ones. Each batch is read in a process of its own.
The last line tells how many were read, the slowest in seconds of processor time, and the most memory that a process took; it fails
where one could not be read, took more than a second, or more than 200 MB.
"""

import argparse
import multiprocessing
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from doubles.mutated import hostile, known_mails, mails  # noqa: E402

from integrations.common.mime import part_bytes, read_message  # noqa: E402

LONGEST, LARGEST = 1.0, 200
"""Seconds of processor time for one mail; MB of one process."""


class Read(NamedTuple):
    """`slowest` in seconds of processor time, `megabytes` the most that the process ever had."""

    mails: int
    slowest: float
    which: str
    megabytes: float
    failures: tuple[str, ...]


def read_all(given: Iterable[tuple[str, bytes]]) -> Read:
    count, slowest, which, failures = 0, 0.0, "", []
    for name, raw in given:
        begun = time.process_time()
        try:
            for attachment in read_message(raw).attachments[:3]:
                part_bytes(raw, attachment.part)
        except Exception:
            failures.append(f"{name}: {traceback.format_exc(limit=-3)}")
        taken = time.process_time() - begun
        count += 1
        if taken > slowest:
            slowest, which = taken, name
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Read(count, slowest, which, peak, tuple(failures))


def broken(count: int, seed: int) -> Read:
    return read_all((f"seed {seed}, mail {number}", raw) for number, raw in enumerate(mails(count, seed, known_mails())))


def built(number: int) -> Read:
    """The mail of that number of those built to break a reader."""
    return read_all(one for at, one in enumerate(hostile()) if at == number)


def large(kind: str) -> Read:
    """25 MB as people attach them, or write them."""
    line, sizes = {
        "base64": (b"QUFB" * 19 + b"\r\n", 25_000_000),
        "bytes": (b"\xe9" * 76 + b"\r\n", 25_000_000),
        "words": (b"word " * 15 + b"\r\n", 25_000_000),
    }[kind]
    file = b"Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a.bin\r\n"
    head = {"base64": file + b"Content-Transfer-Encoding: base64\r\n", "bytes": file, "words": b"Content-Type: text/plain\r\n"}[
        kind
    ]
    raw = b"From: a@x.example\r\n" + head + b"\r\n" + line * (sizes // len(line))
    begun = time.process_time()
    read_message(raw)
    return Read(1, time.process_time() - begun, f"25 MB of {kind}", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, ())


def _run(job: tuple[Callable[..., Read], tuple[object, ...]]) -> Read:
    work, arguments = job
    return work(*arguments)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mails", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=2000)
    arguments = parser.parse_args()
    starts = range(0, arguments.mails, arguments.batch)
    jobs: list[tuple[Callable[..., Read], tuple[object, ...]]] = [(large, (kind,)) for kind in ("base64", "bytes", "words")]
    jobs += [(built, (number,)) for number, _ in enumerate(hostile(0.0))]
    jobs += [(broken, (min(arguments.batch, arguments.mails - start), arguments.seed * 1_000_003 + start)) for start in starts]
    done: list[Read] = []
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for read in pool.imap(_run, jobs):
            done.append(read)
            for failure in read.failures:
                print(failure)
            if read.slowest > LONGEST or read.megabytes > LARGEST:
                print(f"too much: {read.which}: {read.slowest:.2f} s, {read.megabytes:.0f} MB")
    slowest = max(done, key=lambda read: read.slowest)
    megabytes, failures = max(read.megabytes for read in done), sum(len(read.failures) for read in done)
    print(
        f"{sum(read.mails for read in done):,} mails read, {failures} not; slowest {slowest.slowest:.2f} s ({slowest.which}), "
        f"most memory {megabytes:.0f} MB"
    )
    sys.exit(failures > 0 or slowest.slowest > LONGEST or megabytes > LARGEST)


if __name__ == "__main__":
    main()
