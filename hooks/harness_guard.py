"""Front door of harness-guard: every hook event and the command line start here, on the standard library alone.

It finds the package, hands over to ``harness_guard.runtime.frontdoor`` and turns whatever fails behind it into an
answer. It is compiled at every start, so it is short. It has the package's name: the plugin's root goes on the path
explicitly, in front, or it would import itself.
"""

import posix
import sys


def _main() -> int:
    arguments = sys.argv[1:]
    if not arguments and posix.isatty(0):
        arguments = ["--help"]  # no host gives a hook a terminal; a human there waits for us, not we for a payload
    if sys.pycache_prefix is None:
        sys.dont_write_bytecode = True  # or it would land in the plugin's folder, and a host would stop every hook
    path = __file__ if __file__.startswith("/") else f"{posix.getcwd()}/{__file__}"
    hooks = path.rpartition("/")[0]
    try:
        sys.path.insert(0, hooks.rpartition("/")[0])
        from harness_guard.runtime.frontdoor import main

        return main(arguments, sys.path[0])
    except BaseException as error:
        if isinstance(error, SystemExit) and arguments and arguments[0] != "--launched":
            raise  # a verb of the command line ends as it says
        if arguments[:1] == ["--launched"]:
            return 70  # the launcher answers for everything that ends without a verdict
        try:
            sys.path.insert(0, hooks)
            import last_resort  # type: ignore[import-not-found]  # the folder goes on the path above, and only now

            return int(last_resort.answer(error, is_event=not arguments))
        except BaseException:  # noqa: BLE001  a closed output, say
            posix.write(2, b"harness-guard entry.broken: the guard cannot be loaded\n")
            return 2


if __name__ == "__main__":
    # Nothing is left to tear down after an answer, and tearing down an interpreter costs milliseconds.
    posix._exit(_main())
