"""Writing mail at the emulated Outlook: what the contract for every provider doesn't say."""

import asyncio
from typing import Any

import pytest
from doubles.boxes.letters import letter
from doubles.graph import GraphEmulator
from doubles.graph.calls import GraphError
from doubles.graph.faults import Fault
from doubles.graph.mail.mailbox import Mailbox
from doubles.graph.mail.sending import send

from integrations.actions import DeleteDraft, MarkMail, MoveMail, SaveDraft, SendMail
from integrations.common.mime import part_bytes, read_message
from integrations.errors import Conflict, InvalidResponse, NotFound, RateLimited, ReadOnly, Unavailable, Unknowable
from integrations.microsoft import mail_drafts
from integrations.microsoft.mail_writer import MicrosoftMailWriter
from integrations.microsoft.uploads import PIECE
from integrations.readers import MailReader
from integrations.registry import Account
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, TRASH, Address, MailRef
from integrations.writers import MailWriter

KEY, OTHER = "0a1b2c3d4e5f60718293a4b5c6d7e8f9", "f" * 32
ANNA = Address(email="anna@acme.example", name="Anna")
PLAN = SendMail(account="home", to=(ANNA,), subject="Plan", body="All set.")
DRAFT = SaveDraft(account="home", to=(ANNA,), subject="Plan", body="All set.")
CREATE, SEND = "POST /me/messages", "POST /me/messages/{message}/send"
NOTE, DELETE = "PATCH /me/messages/{message}", "DELETE /me/messages/{message}"
ATTACH, SESSION = "POST /me/messages/{message}/attachments", "POST /me/messages/{message}/attachments/createUploadSession"
UPLOAD = "PUT /uploads/{session}"
MB = 1024 * 1024


@pytest.fixture
def box(graph: GraphEmulator, account: Account) -> Mailbox:
    return graph.world.mail("me@home.example")


@pytest.fixture
def reader(account: Account) -> MailReader:
    return account.readers.mail


@pytest.fixture
def writer(account: Account) -> MailWriter:
    return account.writers.mail


def afresh(account: Account) -> MicrosoftMailWriter:
    """As after a restart: it remembers nothing."""
    old = account.writers.mail
    assert isinstance(old, MicrosoftMailWriter)
    return MicrosoftMailWriter(
        old._graph,
        old._tree,
        account="home",
        owner="me@home.example",
        zone=old._drafts._zone,
        clock=old._clock,
        name=old._drafts._name,
    )


def subjects(box: Mailbox, folder: str) -> list[str]:
    return [one.content.subject for one in box.within(box.folders.known(folder))]


def only(box: Mailbox, folder: str) -> str:
    (one,) = box.within(box.folders.known(folder))
    return one.id


# Sending


async def test_a_mail_reaches_everybody_once_and_bcc_shows_to_nobody(
    graph: GraphEmulator, writer: MailWriter, box: Mailbox
) -> None:
    others = [graph.world.mail(graph.account(name).email) for name in ("anna@acme.example", "boss@acme.example")]
    await writer.execute(PLAN.model_copy(update={"bcc": (Address(email="boss@acme.example"),)}), KEY)
    assert [subjects(other, "inbox") for other in others] == [["Plan"], ["Plan"]]
    assert [read_message(other.raw(only(other, "inbox"))).bcc for other in others] == [(), ()]
    assert (subjects(box, "sentitems"), subjects(box, "drafts")) == (["Plan"], [])


async def test_a_mail_keeps_the_id_that_its_draft_had(graph: GraphEmulator, writer: MailWriter, box: Mailbox) -> None:
    receipt = await writer.execute(PLAN, KEY)
    assert receipt.id == only(box, "sentitems")
    (sent,) = [seen for seen in graph.requests if seen.api == SEND]
    assert receipt.id in sent.path.replace("%3D", "=")


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("fault", ["drop_after", "garbage"])
async def test_a_mail_whose_sending_was_not_confirmed_is_found_and_not_sent_again(
    graph: GraphEmulator, account: Account, writer: MailWriter, box: Mailbox, fault: Fault, restarted: bool
) -> None:
    graph.fail(fault, on=SEND)
    with pytest.raises((Unavailable, InvalidResponse)):
        await writer.execute(PLAN, KEY)
    asker = afresh(account) if restarted else writer
    found = await asker.find(PLAN, KEY)
    assert found is not None and found == await asker.execute(PLAN, KEY)
    assert subjects(box, "sentitems") == ["Plan"]


async def test_a_503_on_sending_is_repeated_by_nobody(graph: GraphEmulator, writer: MailWriter, box: Mailbox) -> None:
    graph.fail("service_unavailable", on=SEND, seconds=0)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    assert [seen.status for seen in graph.requests if seen.api == SEND] == [503]
    assert subjects(box, "sentitems") == []


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize(
    ("call", "fault"), [(SEND, "drop_before"), (SEND, "unavailable"), (CREATE, "drop_after"), (NOTE, "drop_after")]
)
async def test_a_draft_that_was_not_sent_is_thrown_away_before_anything_is_sent_again(
    graph: GraphEmulator, account: Account, writer: MailWriter, box: Mailbox, call: str, fault: Fault, restarted: bool
) -> None:
    graph.fail(fault, on=call)
    graph.fail("drop_before", on=DELETE)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    assert subjects(box, "drafts") == ["Plan"]
    asker = afresh(account) if restarted else writer
    if graph.faults_left:
        with pytest.raises(Unavailable):
            await asker.find(PLAN, KEY)
    assert await asker.find(PLAN, KEY) is None
    assert (subjects(box, "drafts"), subjects(box, "sentitems")) == ([], [])
    await asker.execute(PLAN, KEY)
    assert (subjects(box, "drafts"), subjects(box, "sentitems")) == ([], ["Plan"])


async def test_an_edited_draft_of_an_earlier_attempt_is_not_what_is_sent(
    graph: GraphEmulator, writer: MailWriter, box: Mailbox
) -> None:
    graph.fail("drop_before", on=SEND)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    box.change(only(box, "drafts"), body={"contentType": "text", "content": "Never!"})
    receipt = await writer.execute(PLAN, KEY)
    assert read_message(box.raw(receipt.id)).text == "All set."
    assert subjects(box, "drafts") == []


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_mail_that_went_out_and_is_nowhere_to_be_found_is_not_said_to_be_unsent(
    graph: GraphEmulator, account: Account, writer: MailWriter, box: Mailbox, restarted: bool
) -> None:
    graph.fail("drop_after", on=SEND)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    box.remove(only(box, "sentitems"))
    with pytest.raises(Unknowable):
        await (afresh(account) if restarted else writer).find(PLAN, KEY)


async def test_a_mail_that_could_not_be_written_was_certainly_not_sent(
    graph: GraphEmulator, writer: MailWriter, box: Mailbox
) -> None:
    graph.fail("drop_before", on=CREATE)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    assert await writer.find(PLAN, KEY) is None


async def test_a_mail_whose_sending_was_broken_off_is_not_said_to_be_unsent(
    account: Account, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = afresh(account)
    write = writer._graph.write
    monkeypatch.setattr(writer._own, "discard", write)

    async def broken_off(build: Any, **how: Any) -> Any:
        if any("AssistantKey" in name for one in box.everything for name in one.extended):
            raise asyncio.CancelledError
        return await write(build, **how)

    monkeypatch.setattr(writer._graph, "write", broken_off)
    with pytest.raises(asyncio.CancelledError):
        await writer.execute(PLAN, KEY)
    box.remove(only(box, "drafts"))
    with pytest.raises(Unknowable):
        await writer.find(PLAN, KEY)


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_mail_is_found_by_its_key_though_outlook_gave_it_other_ids(
    graph: GraphEmulator, account: Account, writer: MailWriter, box: Mailbox, restarted: bool
) -> None:
    box.keeps_message_ids = box.keeps_sent_ids = False
    graph.fail("drop_after", on=SEND)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    asker = afresh(account) if restarted else writer
    found = await asker.find(PLAN, KEY)
    assert found is not None and found == await asker.execute(PLAN, KEY)
    assert subjects(box, "sentitems") == ["Plan"]


async def test_a_mail_that_got_another_id_on_its_way_is_told_with_that(writer: MailWriter, box: Mailbox) -> None:
    box.keeps_sent_ids = False
    assert (await writer.execute(PLAN, KEY)).id == only(box, "sentitems")


@pytest.mark.parametrize("place", ["outbox", "drafts"])
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_mail_that_is_still_leaving_is_neither_held_back_nor_sent_again(
    graph: GraphEmulator, account: Account, writer: MailWriter, box: Mailbox, place: str, restarted: bool
) -> None:
    box.lingers, box.lingers_in = 1000, place
    graph.fail("drop_after", on=SEND)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    asker = afresh(account) if restarted else writer
    for ask in (asker.find, asker.execute):
        with pytest.raises(Unavailable, match="still sending"):
            await ask(PLAN, KEY)
    box.settle(box.messages[only(box, place)])
    found = await asker.find(PLAN, KEY)
    assert found is not None and found.id == only(box, "sentitems")
    assert len([seen for seen in graph.requests if seen.api == SEND]) == 1


async def test_a_draft_that_is_sent_while_it_is_thrown_away_stays(
    graph: GraphEmulator, account: Account, writer: MailWriter, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.fail("drop_before", on=SEND)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    asker = afresh(account)
    discard = asker._own.discard

    async def meanwhile(draft: Any) -> None:
        box.settle(box.messages[only(box, "drafts")])
        await discard(draft)

    monkeypatch.setattr(asker._own, "discard", meanwhile)
    with pytest.raises(Unavailable):
        await asker.find(PLAN, KEY)
    assert await asker.find(PLAN, KEY) is not None
    assert subjects(box, "sentitems") == ["Plan"]


async def test_a_mail_to_oneself_is_known_by_the_one_in_sent_items(graph: GraphEmulator, writer: MailWriter, box: Mailbox) -> None:
    action = PLAN.model_copy(update={"to": (Address(email="me@home.example"),)})
    receipt = await writer.execute(action, KEY)
    assert receipt.id == only(box, "sentitems")
    assert await writer.find(action, KEY) == receipt
    assert subjects(box, "inbox") == ["Plan"]


async def test_whether_a_mail_was_sent_is_open_while_its_draft_can_not_be_thrown_away(
    graph: GraphEmulator, writer: MailWriter, box: Mailbox
) -> None:
    graph.fail("drop_before", on=SEND)
    graph.fail("unavailable", on=DELETE)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    with pytest.raises(Unavailable):
        await writer.find(PLAN, KEY)
    assert await writer.find(PLAN, KEY) is None


async def test_a_mail_that_outlook_refuses_to_send_leaves_no_draft(graph: GraphEmulator, writer: MailWriter, box: Mailbox) -> None:
    graph.fail("too_many", on=SEND)
    with pytest.raises(RateLimited):
        await writer.execute(PLAN, KEY)
    assert subjects(box, "drafts") == []
    assert await writer.find(PLAN, KEY) is None


@pytest.mark.parametrize(
    "otherwise",
    [
        {"toRecipients": [{"emailAddress": {"address": "eve@evil.example"}}]},
        {"bccRecipients": [{"emailAddress": {"address": "eve@evil.example"}}]},
        {"subject": "Plan B"},
        {"body": {"contentType": "text", "content": "All lost."}},
    ],
    ids=["recipient", "blind copy", "subject", "text"],
)
async def test_a_draft_that_outlook_understood_otherwise_is_not_sent(
    account: Account, box: Mailbox, monkeypatch: pytest.MonkeyPatch, otherwise: dict[str, Any]
) -> None:
    writer = afresh(account)
    change = writer._drafts._change

    async def somebody_else(id: str, fields: Any) -> Any:
        box.change(id, **otherwise)
        return await change(id, fields)

    monkeypatch.setattr(writer._drafts, "_change", somebody_else)
    with pytest.raises(InvalidResponse, match="something else of the mail than was approved"):
        await writer.execute(PLAN, KEY)
    assert (subjects(box, "drafts"), subjects(box, "sentitems")) == ([], [])


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_request_to_send_that_arrives_late_sends_nothing_that_was_thrown_away(
    graph: GraphEmulator, account: Account, writer: MailWriter, box: Mailbox, restarted: bool
) -> None:
    graph.fail("drop_before", on=SEND)
    action = PLAN.model_copy(update={"cc": (Address(email="tom@acme.example"),), "bcc": (Address(email="boss@acme.example"),)})
    with pytest.raises(Unavailable):
        await writer.execute(action, KEY)
    late = only(box, "drafts")
    assert await (afresh(account) if restarted else writer).find(action, KEY) is None
    with pytest.raises(GraphError, match="recipient"):
        send(box, box.messages[late])
    assert (subjects(box, "drafts"), subjects(box, "sentitems")) == ([], [])


@pytest.mark.parametrize("call", [SEND, NOTE])
async def test_a_draft_made_for_sending_that_can_not_be_thrown_away_is_asked_about(
    graph: GraphEmulator, writer: MailWriter, box: Mailbox, call: str
) -> None:
    graph.fail("too_many", on=call)
    graph.fail("too_many", on=DELETE)
    with pytest.raises(Unavailable, match="asks for a pause"):
        await writer.execute(PLAN, KEY)
    assert await writer.find(PLAN, KEY) is None
    assert (subjects(box, "drafts"), subjects(box, "sentitems")) == ([], [])


async def test_characters_that_nobody_sees_keep_no_mail_from_being_sent(writer: MailWriter, box: Mailbox) -> None:
    await writer.execute(PLAN.model_copy(update={"subject": "Plan\u200b \u202eA", "body": "All\u00ad set\u200b."}), KEY)
    assert (len(subjects(box, "sentitems")), subjects(box, "drafts")) == (1, [])


async def test_a_mail_in_the_trash_was_sent_all_the_same(writer: MailWriter, box: Mailbox) -> None:
    receipt = await writer.execute(PLAN, KEY)
    box.move(box.messages[receipt.id], box.folders.known("deleteditems"))
    found = await writer.find(PLAN, KEY)
    assert found is not None and found.id == receipt.id


async def test_what_was_sent_is_sent_even_if_nothing_more_can_be_told_of_it(
    graph: GraphEmulator, writer: MailWriter, box: Mailbox
) -> None:
    graph.fail("forbidden", on="GET /me/messages/{message}")
    receipt = await writer.execute(PLAN, KEY)
    assert (receipt.id, receipt.etag) == (only(box, "sentitems"), "")


# Answers and forwards


async def test_an_answer_joins_the_conversation_at_outlook_and_at_home_with_others(
    writer: MailWriter, reader: MailReader, box: Mailbox
) -> None:
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter(subject="AW: Plan", id="<q@x.example>"))))
    receipt = await writer.execute(PLAN.model_copy(update={"subject": "Re: Plan", "reply_to": mail.ref}), KEY)
    asked, answer = box.messages[mail.id], box.messages[receipt.id]
    assert answer.conversation == asked.conversation
    assert (len(answer.index), answer.index[:-5]) == (len(asked.index) + 5, asked.index)
    raw = read_message(box.raw(receipt.id))
    assert dict(raw.headers)["thread-topic"] == "Plan"
    assert (raw.in_reply_to, raw.references) == ("<q@x.example>", ("<q@x.example>",))


@pytest.mark.parametrize(("field", "verb"), [("reply_to", "102"), ("forward_of", "104")])
async def test_what_was_answered_or_forwarded_shows_it_and_its_etag_stays(
    writer: MailWriter, reader: MailReader, box: Mailbox, field: str, verb: str
) -> None:
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter())))
    await writer.execute(PLAN.model_copy(update={field: mail.ref}), KEY)
    assert box.messages[mail.id].extended["Integer 0x1081"] == verb
    assert (await reader.get(mail.ref)).etag == mail.etag


async def test_an_answer_is_sent_though_the_original_can_not_be_marked(
    graph: GraphEmulator, writer: MailWriter, box: Mailbox
) -> None:
    original = MailRef(account="home", id=box.deliver(letter()))
    graph.fail("forbidden", on=NOTE, after=1)
    receipt = await writer.execute(PLAN.model_copy(update={"reply_to": original}), KEY)
    assert graph.faults_left == 0
    assert receipt.id == only(box, "sentitems")


async def test_what_only_outlooks_recovery_reaches_is_not_answered(writer: MailWriter, box: Mailbox) -> None:
    id = box.deliver(letter())
    box.delete(box.messages[id])
    for action in (PLAN.model_copy(update={field: MailRef(account="home", id=id)}) for field in ("reply_to", "forward_of")):
        with pytest.raises(NotFound):
            await writer.execute(action, KEY)
    assert subjects(box, "sentitems") == []


# Large mails


def files(*sizes: int) -> dict[str, bytes]:
    return {f"{at}.pdf": (bytes(range(256)) * (size // 256 + 1))[:size] for at, size in enumerate(sizes)}


def held(box: Mailbox, id: str) -> dict[str, bytes]:
    raw = box.raw(id)
    return {one.filename: part_bytes(raw, one.part) for one in read_message(raw).attachments}


async def test_what_fits_goes_in_one_request(graph: GraphEmulator, writer: MailWriter, box: Mailbox) -> None:
    given = files(MB)
    original = MailRef(account="home", id=box.deliver(letter(files=given)))
    receipt = await writer.execute(PLAN.model_copy(update={"forward_of": original}), KEY)
    assert held(box, receipt.id) == given
    assert not {ATTACH, SESSION} & {seen.api for seen in graph.requests}


async def test_large_attachments_follow_one_by_one_and_above_3_mb_by_an_upload_session(
    graph: GraphEmulator, writer: MailWriter, box: Mailbox
) -> None:
    given = files(1000, PIECE + 1)
    original = MailRef(account="home", id=box.deliver(letter(subject="Big", files=given)))
    receipt = await writer.execute(PLAN.model_copy(update={"forward_of": original}), KEY)
    assert held(box, receipt.id) == given
    sent = [seen.api for seen in graph.requests]
    assert (sent.count(CREATE), sent.count(ATTACH), sent.count(SESSION), sent.count(UPLOAD)) == (1, 1, 1, 2)
    read = read_message(box.raw(receipt.id))
    assert read.text.startswith("All set.") and "Forwarded message" in read.text
    assert read.message_id == f"<{KEY}@home.example>"
    assert await writer.find(PLAN, KEY) == receipt


@pytest.mark.parametrize("call", [SESSION, UPLOAD])
async def test_a_mail_whose_upload_broke_off_is_not_sent(graph: GraphEmulator, writer: MailWriter, box: Mailbox, call: str) -> None:
    original = MailRef(account="home", id=box.deliver(letter(files=files(3 * MB))))
    forward = PLAN.model_copy(update={"forward_of": original})
    graph.fail("drop_before", on=call)
    with pytest.raises(Unavailable):
        await writer.execute(forward, KEY)
    assert (subjects(box, "drafts"), subjects(box, "sentitems")) == ([], [])


@pytest.mark.parametrize("call", [ATTACH, NOTE])
@pytest.mark.parametrize("action", [PLAN, DRAFT], ids=["send", "draft"])
@pytest.mark.parametrize("cleaned", [True, False])
async def test_half_a_mail_is_neither_sent_nor_kept(
    graph: GraphEmulator,
    account: Account,
    box: Mailbox,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    action: SendMail | SaveDraft,
    cleaned: bool,
) -> None:
    monkeypatch.setattr(mail_drafts, "LARGEST", 2000)
    original = MailRef(account="home", id=box.deliver(letter(files=files(2000, 1000))))
    forward = action.model_copy(update={"forward_of": original})
    graph.fail("drop_before", on=call)
    if not cleaned:
        graph.fail("drop_before", on=DELETE)
    with pytest.raises(Unavailable):
        await afresh(account).execute(forward, KEY)
    assert len(subjects(box, "drafts")) == (0 if cleaned else 1)
    again = afresh(account)
    if action is DRAFT:
        assert await again.find(forward, KEY) is None
    receipt = await again.execute(forward, KEY)
    assert held(box, receipt.id) == files(2000, 1000)
    assert len(subjects(box, "drafts")) + len(subjects(box, "sentitems")) == 1


# Drafts


async def test_a_deleted_draft_is_written_anew_by_its_undo(writer: MailWriter, reader: MailReader, box: Mailbox) -> None:
    original = MailRef(account="home", id=box.deliver(letter(id="<q@x.example>", subject="Plan")))
    reply = DRAFT.model_copy(update={"subject": "Re: Plan", "body": "Grüße\n\nich", "reply_to": original})
    saved = await writer.execute(reply, KEY)
    draft = await reader.get(MailRef(account="home", id=saved.id))
    (undo,) = (await writer.execute(DeleteDraft(account="home", mail=draft.ref), OTHER)).undo
    assert subjects(box, "drafts") == []
    again = await reader.get(MailRef(account="home", id=(await writer.execute(undo, OTHER)).id))
    told = ("folder", "to", "subject", "body", "in_reply_to", "thread")
    assert [getattr(again, name) for name in told] == [getattr(draft, name) for name in told]


async def test_a_draft_with_more_than_plain_text_can_not_be_undeleted(writer: MailWriter, box: Mailbox) -> None:
    draft = box.deliver(letter(files={"a.pdf": b"%PDF"}), "drafts")
    receipt = await writer.execute(DeleteDraft(account="home", mail=MailRef(account="home", id=draft)), KEY)
    assert receipt.undo == () and subjects(box, "drafts") == []


async def test_a_draft_that_was_edited_meanwhile_is_not_deleted(writer: MailWriter, reader: MailReader, box: Mailbox) -> None:
    draft = await reader.get(MailRef(account="home", id=(await writer.execute(DRAFT, KEY)).id))
    box.change(draft.id, subject="Plan B")
    with pytest.raises(Conflict):
        await writer.execute(DeleteDraft(account="home", mail=draft.ref), OTHER)
    assert subjects(box, "drafts") == ["Plan B"]


@pytest.mark.parametrize("recoverable", [True, False])
async def test_a_draft_is_gone_whether_or_not_outlooks_recovery_reaches_it(
    writer: MailWriter, box: Mailbox, recoverable: bool
) -> None:
    box.recoverable = recoverable
    action = DeleteDraft(account="home", mail=MailRef(account="home", id=(await writer.execute(DRAFT, KEY)).id))
    assert await writer.find(action, OTHER) is None
    await writer.execute(action, OTHER)
    found = await writer.find(action, OTHER)
    assert found is not None and "gone" in found.note
    with pytest.raises(NotFound):
        await writer.execute(action, OTHER)


async def test_a_draft_that_the_user_has_sent_was_saved_all_the_same(writer: MailWriter, box: Mailbox) -> None:
    saved = await writer.execute(DRAFT, KEY)
    box.settle(box.messages[saved.id])
    found = await writer.find(DRAFT, KEY)
    assert found is not None and (found.id, found.undo) == (saved.id, ())


# Folders and flags


@pytest.mark.parametrize("folder", [DRAFTS, OUTBOX])
async def test_no_mail_is_moved_to_where_mails_are_written_and_sent(
    writer: MailWriter, reader: MailReader, box: Mailbox, folder: str
) -> None:
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter())))
    with pytest.raises(ReadOnly, match=folder):
        await writer.execute(MoveMail(account="home", mail=mail.ref, folder=folder), KEY)
    assert subjects(box, "inbox") == ["Hello"]


async def test_a_draft_goes_to_the_trash_and_back(writer: MailWriter, box: Mailbox) -> None:
    saved = await writer.execute(DRAFT, KEY)
    ref = MailRef(account="home", id=saved.id, etag=saved.etag)
    (undo,) = (await writer.execute(MoveMail(account="home", mail=ref, folder=TRASH), OTHER)).undo
    assert subjects(box, "deleteditems") == ["Plan"]
    await writer.execute(undo.model_copy(update={"mail": MailRef(account="home", id=saved.id)}), OTHER)
    assert subjects(box, "drafts") == ["Plan"]


async def test_a_folder_that_is_not_there_is_named_with_those_that_are(writer: MailWriter, box: Mailbox) -> None:
    box.folder("Work")
    ref = MailRef(account="home", id=box.deliver(letter()))
    with pytest.raises(NotFound, match=r"Wurk; there are: INBOX, .*Work"):
        await writer.execute(MoveMail(account="home", mail=ref, folder="Wurk"), KEY)


async def test_a_folder_made_just_now_can_be_moved_to(writer: MailWriter, reader: MailReader, box: Mailbox) -> None:
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter())))
    box.folder("Projects/New")
    await writer.execute(MoveMail(account="home", mail=mail.ref, folder="projects/new"), KEY)
    assert (await reader.get(mail.ref)).folder == "Projects/New"


async def test_a_mail_that_was_read_elsewhere_meanwhile_is_not_moved(writer: MailWriter, reader: MailReader, box: Mailbox) -> None:
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter())))
    box.change(mail.id, isRead=True)
    with pytest.raises(Conflict):
        await writer.execute(MoveMail(account="home", mail=mail.ref, folder=ARCHIVE), KEY)


async def test_what_somebody_else_has_moved_there_already_is_done_and_can_be_undone(
    writer: MailWriter, reader: MailReader, box: Mailbox
) -> None:
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter())))
    box.move(box.messages[mail.id], box.folders.known("archive"))
    (undo,) = (await writer.execute(MoveMail(account="home", mail=mail.ref, folder=ARCHIVE), KEY)).undo
    assert isinstance(undo, MoveMail) and undo.folder == INBOX


async def test_marking_what_is_marked_already_changes_nothing(graph: GraphEmulator, writer: MailWriter, box: Mailbox) -> None:
    ref = MailRef(account="home", id=box.deliver(letter(), seen=True, flagged=True))
    receipt = await writer.execute(MarkMail(account="home", mail=ref, seen=True, flagged=True), KEY)
    assert receipt.undo == ()
    assert not [request for request in graph.requests if request.api == NOTE]


async def test_marking_leaves_categories_and_what_was_not_named_alone(writer: MailWriter, reader: MailReader, box: Mailbox) -> None:
    id = box.deliver(letter(), flagged=True)
    box.change(id, categories=["Red category"])
    await writer.execute(MarkMail(account="home", mail=(await reader.get(MailRef(account="home", id=id))).ref, seen=True), KEY)
    one = box.messages[id]
    assert (one.seen, one.flag, one.categories) == (True, "flagged", ("Red category",))
