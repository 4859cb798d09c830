"""A long listing of mails asks Gmail seldom."""

from collections import Counter

from doubles.google import GoogleEmulator

from integrations.registry import Account
from integrations.types import MailQuery

OWNER = "me@home.example"


async def test_mails_are_read_by_the_hundred_and_once(google: GoogleEmulator, account: Account) -> None:
    for number in range(201):
        google.world.mail(OWNER).deliver(f"From: anna@home.example\r\nSubject: Mail {number}\r\n\r\nHi.\r\n".encode())

    async def listed() -> tuple[int, Counter[str]]:
        google.requests.clear()
        page = await account.readers.mail.search(MailQuery(limit=1000))
        return len({mail.subject for mail in page.items}), Counter(seen.api for seen in google.requests if not seen.batched)

    mails, asked = await listed()
    assert (mails, asked.pop("batch")) == (201, 3)
    assert asked.total() <= 4
    mails, asked = await listed()
    assert (mails, asked["batch"]) == (201, 0)
    assert asked.total() <= 4
