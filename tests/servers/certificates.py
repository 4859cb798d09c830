"""A certificate authority of the tests' own, and servers' certificates by it."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFE = timedelta(days=30)
KEY_USAGES = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement")


class Certificate(NamedTuple):
    """In PEM."""

    chain: bytes
    key: bytes


class Authority:
    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Tests' own authority")
        basic = x509.BasicConstraints(ca=True, path_length=0)
        usage = x509.KeyUsage(
            **dict.fromkeys(KEY_USAGES, False), key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False
        )
        self._certificate = self._signed(self._name, self._key, [(basic, True), (usage, True)])
        self.pem = self._certificate.public_bytes(Encoding.PEM)

    def certificate(self, *names: str, life: timedelta = LIFE) -> Certificate:
        """For a server of these names or addresses."""
        key = ec.generate_private_key(ec.SECP256R1())
        called = x509.SubjectAlternativeName([_general(name) for name in names])
        serves = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        basic = x509.BasicConstraints(False, None)
        made = self._signed(_name(names[0]), key, [(called, False), (serves, False), (basic, True)], life)
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return Certificate(made.public_bytes(Encoding.PEM) + self.pem, private)

    def _signed(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        extensions: list[tuple[x509.ExtensionType, bool]],
        life: timedelta = LIFE,
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = x509.CertificateBuilder(
            self._name, subject, key.public_key(), x509.random_serial_number(), now - LIFE, now + life
        )
        identifiers: list[tuple[x509.ExtensionType, bool]] = [
            (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
            (x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), False),
        ]
        for extension, critical in (*extensions, *identifiers):
            builder = builder.add_extension(extension, critical)
        return builder.sign(self._key, hashes.SHA256())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
