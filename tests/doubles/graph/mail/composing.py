"""The MIME of a mail that was written or changed as JSON."""

from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any

from doubles.emulating.mail.headers import Headers
from doubles.graph.mail.content import ENVELOPE, Content, File, Person


def compose(content: Content) -> bytes:
    """Lines end in CRLF; Bcc included."""
    message = EmailMessage(policy=SMTP)
    for name, people in _addressed(content).items():
        if people:
            message[name] = ", ".join(map(_mailbox, people))
    message["Subject"] = content.subject
    if content.date:
        message["Date"] = format_datetime(content.date)
    message["Message-ID"] = content.message_id
    message.set_content(content.body, subtype="html" if content.kind == "html" else "plain")
    for file in content.files:
        _attach(message, file)
    headers = Headers(message.as_bytes())
    headers.fields += [f"{name}: {value}".encode() for name, value in content.headers if _kept(name)]
    return bytes(headers)


def _addressed(content: Content) -> dict[str, tuple[Person, ...]]:
    sender = (content.sender,) if content.sender else ()
    people = {"From": sender, "To": content.to, "Cc": content.cc, "Bcc": content.bcc}
    return {**people, "Reply-To": content.reply_to}


def _mailbox(person: Person) -> str:
    quoted = person.name.replace("\\", "\\\\").replace('"', '\\"')
    return person.address if person.name in ("", person.address) else f'"{quoted}" <{person.address}>'


def _attach(message: EmailMessage, file: File) -> None:
    main, _, sub = (file.kind if "/" in file.kind and not file.item else "application/octet-stream").partition("/")
    about: dict[str, Any] = {"cid": f"<{file.content_id}>"} if file.content_id else {}
    message.add_attachment(file.data, maintype=main, subtype=sub, filename=file.name, **about)


def _kept(name: str) -> bool:
    return name.lower() not in ENVELOPE and not name.lower().startswith("content-")
