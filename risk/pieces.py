"""The links, codes, amounts, phone numbers and addresses that an action brings along, and whether another text holds them too."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal, NamedTuple

from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    SaveDraft,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from risk.accounts import bare, cards_in, ibans_in
from risk.codes import codes_in
from risk.figures import amounts_in, dialled, numbers_in, phones_in, same_phone, worth
from risk.links import links_in, same_place
from risk.secret_links import secret_links_in
from risk.text import addresses_in, normal_address, placed_addresses

LAST_DIGITS = 6
"""Of a phone number, by which those that could be the same are found."""

Kind = Literal["address", "link", "secret_link", "code", "amount", "phone", "bank_account", "card_number"]


class Piece(NamedTuple):
    """`field`: it is the whole of a contact's field, not a part of some text."""

    kind: Kind
    text: str
    field: bool = False


def texts_of(action: Action) -> tuple[str, ...]:
    """What the action would say, field by field."""
    match action:
        case SendMail():
            said = (action.subject, action.body, *links_in(action.html))
        case SaveDraft() | SaveTemplate():
            said = (action.subject, action.body)
        case CreateEvent() | UpdateEvent():
            said = (action.title or "", action.location or "", action.description or "")
        case AnswerInvitation() | CancelEvent():
            said = (action.comment,)
        case CreateContact() | UpdateContact():
            said = tuple(text or "" for text in (action.name, action.nickname, action.company, action.title, action.note))
        case _:
            said = ()
    return tuple(filter(None, said))


def names_of(action: Action) -> tuple[str, ...]:
    """What it calls those whom it reaches or invites, and where: that is read by them as well."""
    match action:
        case SendMail() | SaveDraft():
            people = action.to + action.cc + action.bcc
        case CreateEvent():
            people = action.attendees
        case UpdateEvent():
            people = action.add_attendees
        case _:
            people = ()
    return tuple(f"{person.name} {person.email}" for person in people)


def pieces_of(action: Action) -> Iterator[Piece]:
    for text in texts_of(action):
        yield from pieces_in(text)
    if isinstance(action, CreateContact | UpdateContact):
        yield from (Piece("address", email, field=True) for email in action.emails or ())
        yield from (Piece("phone", phone, field=True) for phone in action.phones or ())


def pieces_in(text: str) -> tuple[Piece, ...]:
    """In the order of the text; a number within a link or an account's, or that is a code, is no phone number or amount besides."""
    secret = set(secret_links_in(text))
    accounts = [Piece("bank_account", iban) for iban in ibans_in(text)] + [Piece("card_number", card) for card in cards_in(text)]
    links = [Piece("secret_link" if link in secret else "link", link) for link in links_in(text)]
    codes = [Piece("code", code) for code in codes_in(text)]
    taken = {re.sub(r"\W", "", code.text) for code in codes}
    phones = [Piece("phone", phone) for phone in phones_in(text) if re.sub(r"\D", "", phone) not in taken]
    amounts = [Piece("amount", amount) for amount in amounts_in(text)]
    addresses = [Piece("address", address) for address in placed_addresses(text)]
    linked = " ".join(piece.text for piece in (*links, *accounts))
    found = [*links, *accounts, *addresses, *(piece for piece in (*codes, *amounts, *phones) if piece.text not in linked)]
    return tuple(sorted(dict.fromkeys(found), key=lambda piece: text.find(piece.text)))


class Words:
    """A text that pieces are looked for in. What it holds is read once, and only when it is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    def holds(self, piece: Piece) -> bool:
        """Whether the text has the very same, however it writes an amount or a phone number."""
        if not self.text:
            return False
        match piece.kind:
            case "link" | "secret_link":
                return same_place(piece.text) in self._places
            case "code":
                return piece.text in self.text and _stands_alone(piece.text, self.text)
            case "amount":
                return self._holds_amount(piece.text)
            case "bank_account" | "card_number":
                return bare(piece.text) in self._accounts
            case "phone":
                near = self._phones.get(dialled(piece.text)[-LAST_DIGITS:], ())
                return any(same_phone(piece.text, other) for other in near) or piece.text in self.text
        return normal_address(piece.text) in self._addresses

    def _holds_amount(self, amount: str) -> bool:
        """The number alone will do where the text names no currency with it."""
        currency, number = worth(amount)
        if (currency, number) in self._worths:
            return True
        return number in numbers_in(self.text) and all(value != number for _, value in self._worths)

    @cached_property
    def _places(self) -> frozenset[str]:
        return frozenset(map(same_place, links_in(self.text)))

    @cached_property
    def _accounts(self) -> frozenset[str]:
        return frozenset(map(bare, (*ibans_in(self.text), *cards_in(self.text))))

    @cached_property
    def _worths(self) -> frozenset[tuple[str, str]]:
        return frozenset(map(worth, amounts_in(self.text)))

    @cached_property
    def _addresses(self) -> frozenset[str]:
        return addresses_in(self.text)

    @cached_property
    def _phones(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for phone in phones_in(self.text):
            found.setdefault(dialled(phone)[-LAST_DIGITS:], []).append(phone)
        return found


def _stands_alone(code: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(code)}(?!\w)", text) is not None
