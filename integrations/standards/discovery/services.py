"""Services that are known by name: their servers, and what they want in place of the usual password.

Where a service publishes SRV records it still stands here, for what no record tells: which password it takes, and what it files
by itself."""

from collections.abc import Iterable

from integrations.types import Value


class OAuth(Value):
    """Where a service gives tokens. `loopback` is how it knows this machine in a redirect address."""

    authorize: str
    token: str
    scope: str
    loopback: str = "127.0.0.1"


class Service(Value):
    """`domains` are those of its addresses, `mx` the ends of its mail exchangers' names. Servers are addresses as of
    `integrations.standards.endpoints`. `password` says which one it takes, and where to get it; `instead` what serves better, or
    why it can't be connected; `files_sent`: it files sent mail itself."""

    name: str
    domains: tuple[str, ...]
    mx: tuple[str, ...] = ()
    imap: str = ""
    smtp: str = ""
    caldav: str = ""
    carddav: str = ""
    password: str = ""
    instead: str = ""
    files_sent: bool = False
    oauth: OAuth | None = None


GOOGLE = OAuth(
    authorize="https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&prompt=consent",
    token="https://oauth2.googleapis.com/token",
    scope="https://mail.google.com/",
)
MICROSOFT = OAuth(
    authorize="https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token="https://login.microsoftonline.com/common/oauth2/v2.0/token",
    scope="https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access",
    loopback="localhost",
)

ALLOWED_FIRST = (
    "your password once access by IMAP is allowed (E-Mail → Einstellungen → POP3/IMAP Abruf), an application-specific one where "
    "you have switched on two factors"
)
SWITCHED_ON = (
    "your password once IMAP is switched on (Settings → Mail Accounts → IMAP), an app-specific one where you have switched on two "
    "factors"
)

SERVICES = (
    Service(
        name="iCloud",
        domains=("icloud.com", "me.com", "mac.com"),
        mx=("mail.icloud.com",),
        imap="imaps://imap.mail.me.com",
        smtp="smtp+starttls://smtp.mail.me.com",
        caldav="https://caldav.icloud.com/",
        carddav="https://contacts.icloud.com/",
        password="an app-specific password: account.apple.com → Sign-In and Security → App-Specific Passwords",
    ),
    Service(
        name="Fastmail",
        domains=("fastmail.com", "fastmail.fm", "fastmail.net", "fastmail.org", "messagingengine.com", "sent.com", "fastmail.de"),
        mx=("messagingengine.com",),
        imap="imaps://imap.fastmail.com",
        smtp="smtps://smtp.fastmail.com",
        caldav="https://caldav.fastmail.com/",
        carddav="https://carddav.fastmail.com/",
        password="an app password: Settings → Privacy & Security → App passwords",
    ),
    Service(
        name="mailbox.org",
        domains=("mailbox.org",),
        mx=("mailbox.org",),
        imap="imaps://imap.mailbox.org",
        smtp="smtps://smtp.mailbox.org",
        caldav="https://dav.mailbox.org/",
        carddav="https://dav.mailbox.org/",
        password="your password, or an application password where you have switched on two factors",
    ),
    Service(
        name="Posteo",
        domains=("posteo.de", "posteo.net", "posteo.org", "posteo.eu", "posteo.at", "posteo.ch"),
        imap="imaps://posteo.de",
        smtp="smtps://posteo.de",
        caldav="https://posteo.de:8443/",
        carddav="https://posteo.de:8443/",
    ),
    Service(
        name="GMX",
        domains=("gmx.de", "gmx.net", "gmx.at", "gmx.ch", "gmx.org", "gmx.info"),
        imap="imaps://imap.gmx.net",
        smtp="smtps://mail.gmx.net",
        caldav="https://caldav.gmx.net/",
        carddav="https://carddav.gmx.net/",
        password=ALLOWED_FIRST,
    ),
    Service(
        name="GMX",
        domains=("gmx.com", "gmx.us", "gmx.co.uk"),
        imap="imaps://imap.gmx.com",
        smtp="smtps://mail.gmx.com",
        password="your password once access by IMAP is allowed (Settings → POP3 & IMAP)",
    ),
    Service(
        name="WEB.DE",
        domains=("web.de", "email.de"),
        imap="imaps://imap.web.de",
        smtp="smtps://smtp.web.de",
        caldav="https://caldav.web.de/",
        carddav="https://carddav.web.de/",
        password=ALLOWED_FIRST,
    ),
    Service(
        name="Yahoo",
        domains=("yahoo.com", "yahoo.de", "yahoo.co.uk", "yahoo.fr", "yahoo.it", "yahoo.es", "yahoo.ca", "ymail.com"),
        mx=("yahoodns.net",),
        imap="imaps://imap.mail.yahoo.com",
        smtp="smtps://smtp.mail.yahoo.com",
        caldav="https://caldav.calendar.yahoo.com/",
        password="an app password: login.yahoo.com → Account security → Generate app password",
    ),
    Service(
        name="AOL",
        domains=("aol.com", "aol.de", "aim.com"),
        imap="imaps://imap.aol.com",
        smtp="smtps://smtp.aol.com",
        password="an app password: login.aol.com → Account security → Generate app password",
    ),
    Service(
        name="Zoho Mail",
        domains=("zohomail.com", "zoho.com"),
        imap="imaps://imap.zoho.com",
        smtp="smtps://smtp.zoho.com",
        password=SWITCHED_ON,
    ),
    Service(
        name="Zoho Mail",
        domains=("zohomail.eu", "zoho.eu"),
        imap="imaps://imap.zoho.eu",
        smtp="smtps://smtp.zoho.eu",
        password=SWITCHED_ON,
    ),
    Service(
        name="Zoho Mail",
        domains=(),
        mx=("zoho.com",),
        imap="imaps://imappro.zoho.com",
        smtp="smtps://smtppro.zoho.com",
        password=SWITCHED_ON,
    ),
    Service(
        name="Zoho Mail",
        domains=(),
        mx=("zoho.eu",),
        imap="imaps://imappro.zoho.eu",
        smtp="smtps://smtppro.zoho.eu",
        password=SWITCHED_ON,
    ),
    Service(
        name="Migadu",
        domains=("migadu.com",),
        mx=("migadu.com",),
        imap="imaps://imap.migadu.com",
        smtp="smtps://smtp.migadu.com",
        caldav="https://cdav.migadu.com/",
        carddav="https://cdav.migadu.com/",
        password="the password of the mailbox, not that of your account at Migadu",
    ),
    Service(
        name="Runbox",
        domains=("runbox.com", "runbox.no", "rbx.email"),
        mx=("runbox.com",),
        imap="imaps://mail.runbox.com",
        smtp="smtps://mail.runbox.com",
        caldav="https://dav.runbox.com/",
        carddav="https://dav.runbox.com/",
        password="your password, or an app password where you have switched on two factors",
    ),
    Service(
        name="Infomaniak",
        domains=("ik.me", "ikmail.com", "etik.com"),
        mx=("infomaniak.ch", "infomaniak.com"),
        imap="imaps://mail.infomaniak.com",
        smtp="smtps://mail.infomaniak.com",
        password="the password of the mailbox (calendars and contacts have a username of their own there: connect them as a second "
        "account, without mail)",
    ),
    Service(
        name="IONOS",
        domains=(),
        mx=("ionos.de", "kundenserver.de"),
        imap="imaps://imap.ionos.de",
        smtp="smtps://smtp.ionos.de",
        password="the password of the mailbox, not that of your account at IONOS",
    ),
    Service(
        name="STRATO",
        domains=(),
        mx=("rzone.de",),
        imap="imaps://imap.strato.de",
        smtp="smtps://smtp.strato.de",
        password="the password of the mailbox, not that of your account at STRATO",
    ),
    Service(
        name="Gmail",
        domains=("gmail.com", "googlemail.com"),
        mx=("google.com", "googlemail.com"),
        imap="imaps://imap.gmail.com",
        smtp="smtps://smtp.gmail.com",
        password="an app password, for which two factors must be switched on: myaccount.google.com/apppasswords",
        instead="Gmail with calendar and contacts: assistant accounts add google",
        files_sent=True,
        oauth=GOOGLE,
    ),
    Service(
        name="Outlook",
        domains=("outlook.com", "hotmail.com", "live.com", "msn.com", "outlook.de", "hotmail.de", "hotmail.co.uk", "hotmail.fr"),
        mx=("mail.protection.outlook.com", "olc.protection.outlook.com"),
        imap="imaps://outlook.office365.com",
        smtp="smtp+starttls://smtp.office365.com",
        instead="Microsoft takes no password here. Mail, calendar and contacts: assistant accounts add microsoft",
        files_sent=True,
        oauth=MICROSOFT,
    ),
    Service(
        name="Proton Mail",
        domains=("proton.me", "protonmail.com", "protonmail.ch", "pm.me"),
        mx=("protonmail.ch",),
        imap="imap+starttls://127.0.0.1:1143",
        smtp="smtp+starttls://127.0.0.1:1025",
        password="the one that Proton Mail Bridge shows; it has to run on this machine, and its certificate to be named with "
        "--trusted FILE (Bridge: Settings → Advanced → Export TLS certificates)",
        files_sent=True,
    ),
    Service(
        name="Tuta",
        domains=("tuta.com", "tutanota.com", "tutanota.de", "tutamail.com", "tuta.io", "keemail.me"),
        mx=("tutanota.de",),
        instead="Tuta has no IMAP, so its mail can't be connected",
    ),
)


def service_of(domain: str) -> Service | None:
    """Whose addresses end in this domain."""
    return next((service for service in SERVICES if domain.lower() in service.domains), None)


def service_behind(exchangers: Iterable[str]) -> Service | None:
    """That takes in the mail of a domain of its customers."""
    hosts = [host.lower().rstrip(".") for host in exchangers]
    return next((service for service in SERVICES if any(within(host, end) for host in hosts for end in service.mx)), None)


def service_with(servers: Iterable[str]) -> Service | None:
    """That has one of these for mail."""
    given = set(servers)
    return next((service for service in SERVICES if {service.imap, service.smtp} & given), None)


def within(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")
