"""What becomes of a mail on its way out."""

import re
from secrets import token_hex

from doubles.emulating.mail.headers import Headers
from doubles.graph.calls import Call, GraphError, Handler
from doubles.graph.mail.mailbox import Mailbox
from doubles.graph.mail.message import Message
from doubles.graph.mail.messages import from_json, mime
from doubles.graph.mail.reaching import MESSAGE, mailbox, message

_ADDRESS = re.compile(r"[^@\s<>]+@[^@\s<>]+")


def _send(call: Call) -> tuple[int, None]:
    """The draft becomes what was sent, with the same immutable id."""
    box, one = mailbox(call), message(call)
    if call.body:
        raise GraphError(400, "BadRequest", "Sending a draft takes no body.")
    if not one.draft or one.lingering:
        raise GraphError(400, "ErrorInvalidRequest", "The mail is not a draft any more.")
    send(box, one)
    return 202, None


def _send_mail(call: Call) -> tuple[int, None]:
    """Of what is sent at once no id is told."""
    box, body = mailbox(call), call.body or {}
    place = box.folders.known("drafts")
    plain = call.headers.get("content-type", "").startswith("text/plain")
    one = (
        box.read(mime(call.raw), place) if plain else from_json(call, box, place, body.get("Message") or body.get("message") or {})
    )
    send(box, box.draft(one))
    if body.get("SaveToSentItems", body.get("saveToSentItems")) is False:
        box.remove(one.id)
    return 202, None


def send(box: Mailbox, one: Message) -> None:
    """Out of the Drafts, and into the mailbox of every recipient who is a user here, the sender's own included."""
    recipients = _recipients(one)
    sender = one.content.sender
    if sender is None or sender.address.lower() != box.email.lower():
        raise GraphError(
            403, "ErrorSendAsDenied", "The user does not have the right to send mail for that address.", complaint=True
        )
    now = box.world.now()
    if not box.keeps_message_ids or not one.content.message_id:
        one.rename(f"<{token_hex(12).upper()}@emulated.prod.outlook.example>")
    one.received = now.replace(microsecond=one.received.microsecond)
    headers = Headers(one.raw)
    headers.remove("Bcc")
    for email in list(box.world.users):
        if email.lower() in recipients:
            box.world.mail(email).deliver(bytes(headers), date=now)
    one.lingering = box.lingers
    if box.lingers:
        box.move(one, box.folders.known(box.lingers_in))
    else:
        box.settle(one)


def _recipients(one: Message) -> set[str]:
    people = (*one.content.to, *one.content.cc, *one.content.bcc)
    if not people or not all(_ADDRESS.fullmatch(person.address) for person in people):
        raise GraphError(400, "ErrorInvalidRecipients", "At least one recipient isn't valid.")
    return {person.address.lower() for person in people}


HANDLERS: dict[str, Handler] = {f"POST /me{MESSAGE}/send": _send, "POST /me/sendMail": _send_mail}
MODELS = {"POST /me/sendMail": "msgraph.generated.users.item.send_mail.send_mail_post_request_body.SendMailPostRequestBody"}
ANSWERS: dict[str, str] = {}
