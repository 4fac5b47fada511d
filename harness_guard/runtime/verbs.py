"""The verbs of ``hooks/harness_guard.py``: provisioning and generated files here, everything else in the package's CLI.

The CLI needs the third-party runtime. It is started under the recorded interpreter, isolated, and provisioned first if
the data folder has none yet.
"""

from __future__ import annotations

import os
import sys

from harness_guard.errors import HarnessError
from harness_guard.places import Places, data_folder
from harness_guard.runtime.naming import runtime_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, NoReturn

_WRONG_USAGE: Final = 2


def run(arguments: list[str], root: str) -> NoReturn:
    """Run one verb and end the process with its status.

    Args:
        arguments: The verb and what follows it.
        root: The plugin's folder.

    Raises:
        SystemExit: Always.
    """
    try:
        status = _verb(arguments, root)
    except HarnessError as error:
        sys.stderr.write(f"harness-guard {error.rule}: {error.seen}\nNext: {error.remedy}\n")
        status = _WRONG_USAGE if error.rule.endswith(".usage") else 1
    except KeyboardInterrupt:
        status = 130  # what a shell gives a command that was interrupted
    raise SystemExit(status)


def _verb(arguments: list[str], root: str) -> int:
    # These two need no package, so they also work where there is none yet.
    if arguments[0] == "manifests":
        from harness_guard.runtime.manifests import main

        return main(arguments[1:], root)
    from harness_guard.runtime.provision import default_data_folder
    from harness_guard.runtime.provision import main as provision_main

    if arguments[0] == "provision":
        return provision_main(arguments[1:], root, os.environ)
    data = data_folder(os.environ) or default_data_folder()
    # Both names, so that whatever is started from here works on the same folder.
    os.environ["PLUGIN_DATA"] = os.environ["CLAUDE_PLUGIN_DATA"] = data
    _use_runtime(data, arguments, root)
    from harness_guard.cli.main import main as cli_main

    return int(cli_main(arguments) or 0)


def _use_runtime(data: str, arguments: list[str], root: str) -> None:
    from harness_guard.runtime.provision import provision

    places = Places(data)
    recorded = _recorded(places)
    if recorded is None:
        sys.stderr.write(f"harness-guard: first run: preparing the runtime in {data}, once\n")
        provision(data, root)
        recorded = _recorded(places) or ""
    # As isolated as an event: a PYTHONPATH or the user's own packages must not stand in for the locked ones.
    if not (sys.flags.isolated and sys.flags.no_site):
        flags = ["-I", "-S", "-X", f"pycache_prefix={places.pycache}"]
        os.execv(recorded, [recorded, *flags, f"{root}/hooks/harness_guard.py", *arguments])  # noqa: S606  no shell
    packages = f"{places.runtime}/{runtime_name()}"
    if not os.path.isdir(packages):
        provision(data, root)
    sys.path.append(packages)


def _recorded(places: Places) -> str | None:
    try:
        with open(places.interpreter, encoding="utf-8") as file:
            path = file.read().strip()
    except OSError:
        return None
    return path if os.access(path, os.X_OK) else None
