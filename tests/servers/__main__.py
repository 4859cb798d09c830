"""python tests/servers install: installs what the servers are made of.
python tests/servers start: starts them, and says how to reach them."""

import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    if arguments == ["install"]:
        from installing import install

        return 0 if install() else 1
    if arguments == ["start"]:
        here = Path(__file__).resolve().parent
        sys.path[:1] = [str(here.parent), str(here.parent.parent)]
        from servers.starting import start

        start()
        return 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
