"""Labels, threads and history at the emulated Gmail."""

from datetime import timedelta
from typing import Any

import pytest
from doubles.google import GoogleEmulator
from doubles.google.gmail import Mailbox
from doubles.google.gmail.asking import MONDAY, letter, sent_by_me, status

SHOWN = {"labelListVisibility": "labelShow", "messageListVisibility": "show"}


# Labels of messages


def test_modifying_adds_and_removes_labels_and_tells_the_new_ones(me: Any, box: Mailbox) -> None:
    made = box.deliver(letter(), labels=("INBOX", "UNREAD"))
    answer = me.messages.modify(id=made, body={"addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD", "INBOX"]})
    assert answer["labelIds"] == ["STARRED"]
    me.messages.batchModify(body={"ids": [made, "19a0000000000fff"], "addLabelIds": ["IMPORTANT"]})
    assert box.messages[made].labels == {"STARRED", "IMPORTANT"}


@pytest.mark.parametrize(
    "body",
    [
        {"addLabelIds": ["SENT"]},
        {"removeLabelIds": ["DRAFT"]},
        {"addLabelIds": ["Label_77"]},
        {"addLabelIds": ["Projects"]},
        {},
        {"addLabelIds": ["STARRED"] * 101},
        {"addLabelIds": ["INBOX"], "removeLabelIds": ["INBOX"]},
    ],
    ids=str,
)
def test_labels_that_can_not_be_set_are_refused(google: GoogleEmulator, me: Any, box: Mailbox, body: dict[str, Any]) -> None:
    box.labels.ensure("Projects")
    made = box.deliver(letter())
    assert status(me.messages.modify, id=made, body=body) == 400
    google.complaints.clear()


def test_trash_takes_a_message_out_of_the_inbox_and_untrash_does_not_put_it_back(me: Any, box: Mailbox) -> None:
    made = box.deliver(letter(), labels=("INBOX", "UNREAD"))
    assert me.messages.trash(id=made)["labelIds"] == ["TRASH", "UNREAD"]
    assert me.messages.list() == {"resultSizeEstimate": 0}
    assert me.messages.list(labelIds=["TRASH"], includeSpamTrash=True)["messages"][0]["id"] == made
    assert me.messages.untrash(id=made)["labelIds"] == ["UNREAD"]


def test_spam_and_trash_exclude_each_other(me: Any, box: Mailbox) -> None:
    made = box.deliver(letter(), labels=("TRASH",))
    assert me.messages.modify(id=made, body={"addLabelIds": ["SPAM"]})["labelIds"] == ["SPAM"]
    assert me.messages.modify(id=made, body={"addLabelIds": ["TRASH"]})["labelIds"] == ["TRASH"]


def test_at_most_a_thousand_messages_are_changed_at_once(google: GoogleEmulator, me: Any) -> None:
    assert status(me.messages.batchModify, body={"ids": ["19"] * 1001, "addLabelIds": ["STARRED"]}) == 400
    assert status(me.messages.batchDelete, body={"ids": []}) == 400
    google.complaints.clear()


def test_deleting_is_for_good(me: Any, box: Mailbox) -> None:
    one, two = box.deliver(letter()), box.deliver(letter(subject="Other"))
    me.messages.delete(id=one)
    assert status(me.messages.get, id=one) == 404
    me.messages.batchDelete(body={"ids": [two]})
    assert box.messages == {}


# Labels


def test_labels_are_made_renamed_and_deleted(me: Any, box: Mailbox) -> None:
    made = me.labels.create(body={"name": "Lists/python", **SHOWN})
    assert (made["type"], made["name"]) == ("user", "Lists/python")
    mail = box.deliver(letter(), labels=("UNREAD", "lists/PYTHON"))
    counted = me.labels.get(id=made["id"])
    assert (counted["messagesTotal"], counted["messagesUnread"], counted["threadsTotal"]) == (1, 1, 1)
    assert me.labels.patch(id=made["id"], body={"name": "Python"})["labelListVisibility"] == "labelShow"
    assert {"INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "Python"} <= {label["name"] for label in me.labels.list()["labels"]}
    assert me.labels.update(id=made["id"], body={"id": made["id"], "name": "python", **SHOWN})["name"] == "python"
    me.labels.delete(id=made["id"])
    assert box.messages[mail].labels == {"UNREAD"}
    assert status(me.labels.get, id=made["id"]) == 404


def test_a_label_is_named_once_and_not_like_those_of_the_system(google: GoogleEmulator, me: Any) -> None:
    me.labels.create(body={"name": "Projects", **SHOWN})
    assert status(me.labels.create, body={"name": "projects", **SHOWN}) == 409
    assert google.complaints == []
    assert status(me.labels.create, body={"name": "Inbox", **SHOWN}) == 400
    assert status(me.labels.create, body={"name": "x" * 226, **SHOWN}) == 400
    assert status(me.labels.delete, id="INBOX") == 400
    google.complaints.clear()


# Threads


def test_a_reply_joins_the_thread_of_what_it_refers_to_if_the_subject_is_the_same(me: Any, box: Mailbox) -> None:
    first = box.deliver(letter(subject="Plan", **{"Message-ID": "<a@x>"}))
    reply = box.deliver(letter(subject="AW: Re: Plan", References="<a@x>", date=MONDAY + timedelta(hours=1)))
    renamed = box.deliver(letter(subject="Other plan", References="<a@x>"))
    same_subject = box.deliver(letter(subject="Plan"))
    thread = me.threads.get(id=first, format="metadata", metadataHeaders=["Subject"])
    assert [message["id"] for message in thread["messages"]] == [first, reply]
    assert box.messages[renamed].thread_id == renamed
    assert box.messages[same_subject].thread_id == same_subject


def test_what_is_referred_to_may_arrive_later(box: Mailbox) -> None:
    reply = box.deliver(letter(subject="Re: Plan", **{"In-Reply-To": "<a@x>"}))
    assert box.messages[box.deliver(letter(subject="Plan", **{"Message-ID": "<a@x>"}))].thread_id == reply


def test_messages_that_refer_to_the_same_one_are_a_thread_without_it(box: Mailbox) -> None:
    first = box.deliver(letter(subject="Re: Plan", References="<a@x>"))
    assert box.messages[box.deliver(letter(subject="Re: Plan", References="<a@x>"))].thread_id == first


def test_of_two_threads_that_fit_the_one_asked_for_is_joined(me: Any, box: Mailbox) -> None:
    threads = [box.deliver(letter(subject="Plan", **{"Message-ID": name})) for name in ("<a@x>", "<b@x>")]
    reply = sent_by_me(subject="Re: Plan", References="<a@x> <b@x>")
    for thread in threads:
        draft = me.drafts.create(body={"message": {**reply, "threadId": thread}})
        assert me.drafts.send(body={"id": draft["id"]})["threadId"] == draft["message"]["threadId"] == thread


def test_what_is_sent_into_a_thread_joins_it_only_if_it_fits(me: Any, box: Mailbox) -> None:
    thread = box.deliver(letter(subject="Plan", **{"Message-ID": "<a@x>"}))
    fitting = sent_by_me(subject="Re: Plan", References="<a@x>", **{"In-Reply-To": "<a@x>"})
    assert me.messages.send(body={**fitting, "threadId": thread})["threadId"] == thread
    for unfitting in (sent_by_me(subject="Re: Plan"), sent_by_me(subject="News", References="<a@x>")):
        assert me.messages.send(body={**unfitting, "threadId": thread})["threadId"] != thread
    assert status(me.messages.send, body={**fitting, "threadId": "19a0000000000fff"}) == 404


def test_threads_are_listed_by_their_newest_message_and_changed_as_a_whole(me: Any, box: Mailbox) -> None:
    old = box.deliver(letter(subject="Plan", **{"Message-ID": "<a@x>"}))
    new = box.deliver(letter(subject="News", date=MONDAY + timedelta(hours=1)))
    box.deliver(letter(subject="Re: Plan", References="<a@x>", date=MONDAY + timedelta(hours=2)))
    assert [thread["id"] for thread in me.threads.list()["threads"]] == [old, new]
    first = me.threads.list(maxResults=1)
    second = me.threads.list(maxResults=1, pageToken=first["nextPageToken"])
    assert [page["threads"][0]["id"] for page in (first, second)] == [old, new]
    me.threads.modify(id=old, body={"addLabelIds": ["STARRED"]})
    assert len(box.labelled("STARRED")) == 2
    me.threads.trash(id=old)
    assert [thread["id"] for thread in me.threads.list()["threads"]] == [new]
    me.threads.untrash(id=old)
    me.threads.delete(id=old)
    assert set(box.messages) == {new}


# History


def test_history_tells_what_changed_since_then(me: Any, box: Mailbox) -> None:
    kept = box.deliver(letter(), labels=("INBOX", "UNREAD"))
    start = me.getProfile()["historyId"]
    assert me.history.list(startHistoryId=start) == {"historyId": start}
    arrived = box.deliver(letter(), labels=("INBOX",))
    me.messages.modify(id=kept, body={"removeLabelIds": ["UNREAD"], "addLabelIds": ["STARRED"]})
    me.messages.delete(id=arrived)
    answer = me.history.list(startHistoryId=start)
    kinds = [
        (name, record["messages"][0]["id"]) for record in answer["history"] for name in record if name not in ("id", "messages")
    ]
    assert kinds == [("messagesAdded", arrived), ("labelsAdded", kept), ("labelsRemoved", kept), ("messagesDeleted", arrived)]
    assert answer["historyId"] == me.getProfile()["historyId"] != start
    only = me.history.list(startHistoryId=start, historyTypes=["labelRemoved"])["history"]
    assert [record["labelsRemoved"][0]["labelIds"] for record in only] == [["UNREAD"]]
    starred = me.history.list(startHistoryId=start, labelId="STARRED")["history"]
    assert {record["messages"][0]["id"] for record in starred} == {kept}
    once_unread = me.history.list(startHistoryId=start, labelId="UNREAD")["history"]
    assert once_unread[-1]["labelsRemoved"][0]["labelIds"] == ["UNREAD"]


def test_history_has_pages(me: Any, box: Mailbox) -> None:
    start = me.getProfile()["historyId"]
    made = [box.deliver(letter()) for _ in range(3)]
    first = me.history.list(startHistoryId=start, maxResults=2)
    second = me.history.list(startHistoryId=start, maxResults=2, pageToken=first["nextPageToken"])
    assert [record["messages"][0]["id"] for page in (first, second) for record in page["history"]] == made
    assert "nextPageToken" not in second


def test_a_history_id_that_is_too_old_or_unheard_of_is_not_found(me: Any, box: Mailbox) -> None:
    start = me.getProfile()["historyId"]
    box.deliver(letter())
    box.forget_history()
    assert status(me.history.list, startHistoryId=start) == 404
    assert status(me.history.list, startHistoryId="99999999") == 404
    assert me.history.list(startHistoryId=me.getProfile()["historyId"])["historyId"]


def test_somebody_elses_program_changes_a_message_behind_our_back(me: Any, box: Mailbox) -> None:
    made = box.deliver(letter(), labels=("INBOX",))
    before = me.messages.get(id=made, format="minimal")["historyId"]
    box.change(made, add=["STARRED"], remove=["INBOX"])
    after = me.messages.get(id=made, format="minimal")
    assert after["labelIds"] == ["STARRED"] and int(after["historyId"]) > int(before)
    box.remove(made)
    assert me.getProfile()["messagesTotal"] == 0
