"""What goes wrong at an outgoing server, as the errors of `integrations.errors`."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from aiosmtplib import SMTPConnectResponseError, SMTPException, SMTPResponse, SMTPResponseException

from integrations.common.remote import Unreached
from integrations.errors import IntegrationError, InvalidResponse, RateLimited
from integrations.standards.imap.imap_errors import Server, said

CLOSING = 421
_ENHANCED = re.compile(r"^[245]\.\d{1,3}\.\d{1,3}\s+", re.MULTILINE)
_MOST_NAMED = 5


class Outgoing(Server):
    """Of whom errors speak."""

    def refused(self, what: str, answer: SMTPResponse) -> IntegrationError:
        """Nothing has been sent; `what` is the beginning of a sentence. A code of 4xx means: not now."""
        words = f"{what}{reason(answer)}."
        return InvalidResponse(words, self.account) if answer.code >= 500 else RateLimited(words, self.account)

    def refused_recipients(self, refused: Mapping[str, SMTPResponse]) -> IntegrationError:
        """The mail goes to all or to nobody."""
        named = [f"{recipient}{reason(answer)}" for recipient, answer in refused.items()]
        more = f"; and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
        words = f"{self.host} takes no mail for {'; '.join(named[:_MOST_NAMED])}{more}. So it was sent to nobody."
        lasting = any(answer.code >= 500 for answer in refused.values())
        return InvalidResponse(words, self.account) if lasting else RateLimited(words, self.account)

    def not_sent(self, error: Exception) -> IntegrationError:
        """What came up before the text of a mail was begun: nobody has got it, and nobody will."""
        match error:
            case IntegrationError():
                return error
            case SMTPConnectResponseError() if error.code != CLOSING:
                return self.refused(f"{self.host} takes no connection", SMTPResponse(error.code, error.message))
            case SMTPResponseException() if error.code >= 400:
                return self.refused(f"{self.host} refused the mail", SMTPResponse(error.code, error.message))
            case SMTPResponseException():
                return InvalidResponse(f"{self.host} gave an answer that can't be read.", self.account)
            case ValueError() if not isinstance(error, OSError):  # what is wrong with a certificate is both
                return InvalidResponse("The mail holds an address that can't be written to an outgoing server.", self.account)
        cause = error.__cause__ if isinstance(error, SMTPException) and isinstance(error.__cause__, Exception) else error
        return self.unreached(cause)

    def unencrypted(self) -> Unreached:
        return Unreached(f"{self.host} offers no encryption here, so nothing was sent to it.", self.account)

    def not_signed_in(self) -> RateLimited:
        return RateLimited(f"{self.host} signs nobody in just now.", self.account)

    @contextmanager
    def before_the_text(self) -> Iterator[None]:
        try:
            yield
        except (IntegrationError, SMTPException, OSError, TimeoutError, ValueError) as error:
            raise self.not_sent(error) from error


def reason(answer: SMTPResponse) -> str:
    """The end of a sentence, from what the server put into words."""
    return said(_ENHANCED.sub("", answer.message).encode("utf-8", "replace"))
