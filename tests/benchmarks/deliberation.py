"""What a coordination of five agents costs and how long it takes: `python tests/benchmarks/deliberation.py [--latency 0.3]`.

Five models over the scripted endpoint draft a reply to a complaint in 150 words each; the endpoint counts usage as characters by
four, of everything it is sent and sends, tools included. The schedule: who may begin answers, then all vote; whoever is done waits
until nobody is at work on what is out of date, so that the order in which answers land changes nothing. "Five at once" has all five
write, "three at once" three of them, and all five judge. "Restart": the final agent asks once for another attempt.

Prints tokens by part and in all, the calls, the longest chain of calls that had to wait for one another, and the time over that
chain's. Fails where the schedule of the default settings, three at once, takes more than the seed's figures: 10,000 tokens without
and 20,000 with one restart, all calls counted. Fails too where calls wait that need not. The rest is only printed.
"""

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from doubles.drafting import Table, by_agent, coordinates, deciding, endpoint_for, presenting, restarts, submits
from doubles.llm import Answerer, RequestSeen, first
from doubles.llm.answers import tokens

from assistant.drafting.options import Options, ProfileName

NAMES = ("brief", "formal", "plain", "thorough", "warm")
TASK = "Write a reply to Ms Weber: her lamp came two weeks late, and broken."
LETTER = (
    "Dear Ms Weber, I am very sorry that the lamp arrived two weeks late and was damaged when you opened the parcel. This is "
    "certainly not the standard of service that our customers should expect from us. We will send a replacement by express "
    "delivery today, naturally without any additional charge. Please keep the broken lamp or dispose of it; returning it is "
    "not necessary. Should you prefer a complete refund instead, simply answer this message before Friday, and we will "
    "arrange the payment the same afternoon. I have also asked our warehouse to examine how these lamps are packaged, because "
    "yours was unfortunately not the first that reached its destination in pieces. As a small apology you will find a voucher "
    "inside the new parcel for your next purchase. I sincerely hope that the replacement gives you the pleasant reading light "
    "that you wanted, and I thank you for taking the time to write to us in detail about everything that happened here"
)
REASON = "No day is named for the new lamp."
INSTRUCTIONS = "Say on which day the new lamp will come, and who will bring it."
ONE, RESTARTED = 10_000, 20_000


@dataclass(frozen=True)
class Row:
    """Tokens by part; `chain` in calls, `seconds` of the whole. `at_once` None: all five."""

    profile: ProfileName
    at_once: int | None
    restart: bool
    parts: Counter[str]
    calls: int
    chain: int
    seconds: float

    @property
    def schedule(self) -> str:
        at_once = "five" if self.at_once is None else "three"
        return f"{self.profile}, {at_once} at once, {'one restart' if self.restart else 'no restart'}"

    @property
    def total(self) -> int:
        return self.parts.total()


def written(agent: str, attempt: int) -> str:
    """150 words, in no two alike."""
    words = LETTER.split()
    words[-1] = f"{words[-1]}, {agent} {attempt}"
    return " ".join([*words[:148], *words[-1].split()[-2:]])


def script(profile: ProfileName, restart: bool) -> Answerer:
    asked = first(restarts(REASON, INSTRUCTIONS), then=submits()) if restart else submits()
    reason = "It says what will be done, by when, and asks for nothing back." if profile == "massgen" else ""
    return by_agent(
        {name: coordinates([written(name, 1), written(name, 2)], vote=2, reason=reason, decision=asked) for name in NAMES}
    )


async def measured(profile: ProfileName, at_once: int | None, restart: bool, latency: float) -> Row:
    with endpoint_for(script(profile, restart), NAMES, latency=latency) as endpoint:
        table = Table(endpoint)
        began = time.perf_counter()
        result = await table.deliberate(*NAMES, task=TASK, profile=profile, at_once=at_once)
        seconds = time.perf_counter() - began
        await table.close()
    counted = endpoint.counters.prompt + endpoint.counters.completion
    spent = sum(one.usage.prompt + one.usage.completion for one in result.spent)
    if spent != counted or endpoint.complaints:
        raise AssertionError(f"{spent} tokens in the books, {counted} counted; {endpoint.complaints}")
    parts = by_part(endpoint.requests, counted)
    return Row(profile, at_once, restart, parts, len(endpoint.requests), longest_chain(endpoint.requests), seconds)


def by_part(seen: Sequence[RequestSeen], counted: int) -> Counter[str]:
    """What was sent, by what it was for; what came back is the rest."""
    parts: Counter[str] = Counter()
    for one in seen:
        parts[part_of(one)] += tokens(one.prompt)
    parts["answered"] = counted - parts.total()
    return parts


def part_of(seen: RequestSeen) -> str:
    if deciding(seen):
        return "decide"
    if presenting(seen):
        return "present"
    return "vote" if "enum" in seen.prompt else "write"


def longest_chain(seen: Sequence[RequestSeen]) -> int:
    """How many of the calls began only after another of them had ended, one behind the other."""
    length, free = 0, float("-inf")
    for one in sorted(seen, key=lambda one: one.ended):
        if one.began >= free:
            length, free = length + 1, one.ended
    return length


def show(rows: Sequence[Row], latency: float) -> None:
    heads = ("write", "vote", "decide", "present", "answered")
    print(f"{'tokens':38} " + " ".join(f"{head:>8}" for head in (*heads, "in all", "calls", "chain", "time")))
    for row in rows:
        over = f"{row.seconds / (row.chain * latency):.2f}"
        cells = (*(row.parts[head] for head in heads), row.total, row.calls, row.chain, over)
        print(f"{row.schedule:38} " + " ".join(f"{cell:>8}" for cell in cells))
    print(f"“time”: of the longest chain's, at {latency * 1000:.0f} ms for an answer")


def missed(row: Row) -> list[str]:
    five, attempts = row.at_once is None, 2 if row.restart else 1
    chain = (2 if five else 3) * attempts + attempts + 1
    wrong = [f"a chain of {row.chain} calls, at most {chain}"] if row.chain > chain else []
    limit = RESTARTED if row.restart else ONE
    if row.total > limit and not five:
        wrong.append(f"{row.total} tokens, at most {limit}")
    return [f"MISSED {row.schedule}: {words}" for words in wrong]


async def all_rows(latency: float) -> list[Row]:
    profiles: tuple[ProfileName, ...] = ("mass", "massgen")
    await measured("mass", None, False, latency=0.0)  # so that the first row's time is not that of what is made once
    return [
        await measured(profile, at_once, restart, latency)
        for profile in profiles
        for at_once in (Options().at_once, 3)
        for restart in (False, True)
    ]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--latency", type=float, default=0.3, help="seconds for an answer")
    latency = options.parse_args().latency
    assert len(written("warm", 1).split()) == 150
    rows = asyncio.run(all_rows(latency))
    show(rows, latency)
    wrong = [line for row in rows for line in missed(row)]
    print("", *(wrong or ["All limits are kept."]), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
