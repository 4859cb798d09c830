"""Who is signed in."""

from typing import Any

from doubles.graph.calls import Call, Handler
from doubles.graph.odata import asked


def me(call: Call) -> dict[str, Any]:
    """The mail address of a personal account is the name it signs in with, and told nowhere else."""
    user = call.user
    first, _, last = (user.name or user.email.partition("@")[0]).rpartition(" ")
    known: dict[str, Any] = {
        "@odata.context": f"{call.world.url}/v1.0/$metadata#users/$entity",
        "id": user.id,
        "displayName": user.name or user.email.partition("@")[0],
        "givenName": first or None,
        "surname": last or None,
        "mail": None if user.kind == "personal" else user.email,
        "userPrincipalName": user.email,
        "businessPhones": [],
        "mobilePhone": None,
        "jobTitle": None,
        "officeLocation": None,
        "preferredLanguage": None,
    }
    return asked(call).shown(known) | {"@odata.context": known["@odata.context"]}


HANDLERS: dict[str, Handler] = {"GET /me": me}
ANSWERS = {"GET /me": "msgraph.generated.models.user.User"}
