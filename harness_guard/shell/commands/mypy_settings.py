"""Whether mypy, started in a folder, goes by settings that load, run and write nothing but its cache.

Sources: "The mypy configuration file" of mypy 1.13 to 2.4 (which files it looks for: in the folder, since 1.15 in those
above too, then in the home folder), the library reference of Python, ``configparser`` (``RawConfigParser``) and
``tomllib``. Each of these files counts, whichever of them a version takes, so their order does not matter.
"""

from __future__ import annotations

from harness_guard.shell.commands.option_files import above
from harness_guard.shell.names import NameSource
from harness_guard.shell.values import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from harness_guard.shell.commands.model import Call

    Settings = list[tuple[str, str]]

_NAMES: Final = ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg")
_OF_HOME: Final = (".mypy.ini", ".config/mypy/config")
# Settings that say what is checked and how findings are shown. Others load, run or write something, or are not known.
_PLAIN: Final = (
    "allow_any_generics allow_redefinition allow_redefinition_new allow_redefinition_old allow_subclassing_any "
    "allow_untyped_calls allow_untyped_decorators allow_untyped_defs allow_untyped_globals always_false always_true "
    "check_unreachable check_untyped_defs color_output disable_error_code disallow_any_decorated disallow_any_explicit "
    "disallow_any_expr disallow_any_generics disallow_any_unimported disallow_incomplete_defs "
    "disallow_subclassing_any disallow_untyped_calls disallow_untyped_decorators disallow_untyped_defs "
    "enable_error_code enable_incomplete_feature error_summary exclude exclude_gitignore explicit_package_bases "
    "extra_checks fast_module_lookup files follow_imports follow_imports_for_stubs follow_untyped_imports "
    "hide_error_codes ignore_errors ignore_missing_imports implicit_optional implicit_reexport incremental "
    "local_partial_types modules mypy_path namespace_packages new_type_inference no_implicit_optional "
    "no_implicit_reexport no_namespace_packages no_silence_site_packages no_site_packages no_strict_optional "
    "no_warn_no_return old_type_inference packages platform pretty python_version scripts_are_modules "
    "show_absolute_path show_column_numbers show_error_code_links show_error_codes show_error_context show_error_end "
    "skip_cache_mtime_checks skip_version_check sqlite_cache strict strict_bytes strict_concatenate strict_equality "
    "strict_equality_for_none strict_optional untyped_calls_exclude verbosity warn_incomplete_stub warn_no_return "
    "warn_redundant_casts warn_return_any warn_unreachable warn_unused_configs warn_unused_ignores"
)
_PATHS: Final = frozenset(("files", "mypy_path"))
_OWN_FOLDER: Final = ("${MYPY_CONFIG_FILE_DIR}", "$MYPY_CONFIG_FILE_DIR")
_LONGEST: Final = 40  # characters of a setting's name in a reason
_CACHE: Final = ".mypy_cache"


def odd_setting(call: Call) -> str:
    """Tell why mypy's settings cannot be told to be harmless, ``""`` if they are.

    What a setting of a file has it read, or start, is noted with the call.

    Args:
        call: The call; it asks for the files' texts.

    Returns:
        One phrase.
    """
    if call.cwds is None:
        return "in a folder that reading cannot tell"
    homes = [f"{call.home.rstrip('/')}/{name}" for name in _OF_HOME]
    places = [[f"{folder}/{name}" for folder in above(cwd) for name in _NAMES] for cwd in call.cwds]
    found = [_of_file(call, path) for path in dict.fromkeys((*(path for paths in places for path in paths), *homes))]
    # It looks above the folder's real place: one whose names are found absent is no link.
    for paths in places:
        sources = [NameSource("absent", path) for path in paths[: len(_NAMES)]]
        call.believes(sources)
        if not any(call.names.get(source) for source in sources):
            found.append("that may stand above the place that a link leads to")
    return next((why for why in found if why), "")


def odd_in_file(call: Call, path: str) -> str:
    """Tell the same of the one file of settings that a call names.

    Args:
        call: The call; it asks for the file's text.
        path: The file.
    """
    return _of_file(call, path) if call.text_of(path).is_there else "that are not there"


def _of_file(call: Call, path: str) -> str:
    file = call.text_of(path)
    if not file.is_there:
        return ""
    settings = None if file.text is None else _settings(file.text, is_toml=path.endswith(".toml"))
    if settings is None:
        return f"that cannot be read in {path}"
    for name, value in settings:
        if not _is_harmless(name, value):
            shown = name if name.isidentifier() and len(name) <= _LONGEST else "one"
            return f"of which {shown} in {path} may load, run, read or write something else"
        if name in _PATHS:
            call.read(Field(path.rpartition("/")[0] or "/"), is_tree=True)
        elif name == "python_version":
            call.starts.append(f"python{value}")
    return ""


def _settings(text: str, *, is_toml: bool) -> Settings | None:
    """Give the settings for mypy in a file, ``None`` if it is not understood."""
    if "mypy" not in text and "\\" not in text:
        return []
    return _of_toml(text) if is_toml else _of_ini(text)


def _of_toml(text: str) -> Settings | None:
    import tomllib

    try:
        tool = tomllib.loads(text).get("tool", {})
    except ValueError:
        return None
    if not isinstance(tool, dict):
        return None
    sections = [section for name, section in tool.items() if name == "mypy" or name.startswith("mypy-")]
    found: Settings = []
    for section in sections:
        if not isinstance(section, dict):
            return None
        overrides = section.get("overrides", [])
        parts = [section, *overrides] if isinstance(overrides, list) else [section, 0]
        for part in parts:
            if not isinstance(part, dict):
                return None
            skipped = "overrides" if part is section else "module"
            found += [(name, _flat(value)) for name, value in part.items() if name != skipped]
    return found


def _flat(value: object) -> str:
    return "\n".join(map(_flat, value)) if isinstance(value, list) else str(value)


def _of_ini(text: str) -> Settings | None:
    """Read the sections for mypy, and the one that gives all others their defaults.

    A line that is set in goes on with the setting before it, or is one of its own: it counts as both.
    """
    found: Settings = []
    is_own = False
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        if bare[0] == "[" and "mypy" in bare:
            is_own = True
        elif line[0] == "[" and "]" in line[2:]:
            is_own = "DEFAULT" in line
        elif is_own:
            name = bare.replace(":", "=").partition("=")[0].rstrip().lower()
            is_set = "=" in bare or ":" in bare
            if line[0].isspace() and found:
                found[-1] = (found[-1][0], f"{found[-1][1]}\n{bare}")
            elif not is_set:
                return None
            found += [(name, bare[len(name) :].lstrip().lstrip("=:").strip())] if is_set else []
    return found


def _is_harmless(name: str, value: str) -> bool:
    if name == "cache_dir":
        return value == _CACHE
    if name == "python_version":
        return value.replace(".", "", 1).isdigit() and value.isascii()
    if name in _PATHS:
        return all(_is_below(path) for path in _parts(value))
    return name in _PLAIN.split()


def _parts(value: str) -> Iterable[str]:
    for mark in ",:":
        value = value.replace(mark, "\n")
    return (part for line in value.split("\n") for part in line.split())


def _is_below(path: str) -> bool:
    for own in _OWN_FOLDER:
        path = path.removeprefix(f"{own}/") if path != own else ""
    return path[:1] != "/" and "$" not in path and "~" not in path and ".." not in path.split("/")
