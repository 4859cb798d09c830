"""Secrets of accounts that are kept as long as the test."""


class KeptSecrets:
    """`saved`: every secret that was saved, by account, the last one last."""

    def __init__(self, **secrets: str) -> None:
        self._secrets = dict(secrets)
        self.saved: list[tuple[str, str]] = []

    async def load(self, account: str) -> str | None:
        return self._secrets.get(account)

    async def save(self, account: str, secret: str) -> None:
        self._secrets[account] = secret
        self.saved.append((account, secret))
