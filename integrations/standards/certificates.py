"""What is wrong with a server's certificate, in words: who has to put it right depends on that."""

import ssl

EXPIRED, NOT_YET, ANOTHER_NAME = (10,), (9,), (62, 64)
"""OpenSSL's numbers for it."""


def mistrusted(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """What an error came from, where that is a certificate."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error


def wrong_with(error: ssl.SSLCertVerificationError) -> str:
    """The end of a sentence that begins with the certificate."""
    match error.verify_code:
        case code if code in EXPIRED:
            return "has expired"
        case code if code in NOT_YET:
            return "is not valid yet"
        case code if code in ANOTHER_NAME:
            return "is for another name"
    return "is signed by nobody that this machine trusts"
