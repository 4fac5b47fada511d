"""mypy passes by settings that load, run and write nothing but its cache; the setting that may is named."""

from __future__ import annotations

import pytest
import shell_effects

from harness_guard.shell.analysis import Surroundings
from harness_guard.shell.effects import Effects
from harness_guard.shell.names import NameSource

WHERE = Surroundings("/repo/pkg", "/repo", "/home/dev", "", ("/repo/.git",))
HEADER = "[tool.mypy]\n"


def effects_of(command: str, files: dict[str, str], *, is_linked: bool = False) -> Effects:
    def believed(source: NameSource) -> bool:
        return source.folder not in files and not is_linked

    return shell_effects.effects_of(command, where=WHERE, believed=believed, files=files)


PLAIN = [
    ("/repo/pyproject.toml", "[project]\nname = 'x'\n"),
    ("/repo/pyproject.toml", f"{HEADER}strict = true\npython_version = '3.11'\nexclude = ['a/', '~b', '/c']\n"),
    ("/repo/pyproject.toml", f"{HEADER}files = ['src', 'tests/*.py']\nmypy_path = '$MYPY_CONFIG_FILE_DIR/src:stubs'\n"),
    ("/repo/pyproject.toml", f"{HEADER}cache_dir = '.mypy_cache'\n"),
    ("/repo/pyproject.toml", f"{HEADER}[[tool.mypy.overrides]]\nmodule = 'x.*'\nignore_missing_imports = true\n"),
    ("/repo/pyproject.toml", "[tool.pydantic-mypy]\ninit_forbid_extra = true\n"),
    ("/repo/pkg/mypy.ini", "[mypy]\nstrict = True\n# plugins = x\n[mypy-yaml.*]\nignore_missing_imports = True\n"),
    ("/repo/mypy.ini", "[mypy]\r\nFiles =\r\n  src,\r\n  tests\r\nwarn_return_any: True\r\n"),
    ("/repo/setup.cfg", "[metadata]\nplugins = x\n[mypy]\nstrict = True\n[flake8]\nplugins = x\n"),
    ("/repo/setup.cfg", "[options.extras_require]\ntest =\n  mypy\n[x]\nplugins = x\n"),
    ("/home/dev/.mypy.ini", "[mypy]\nstrict = True\n"),
]


@pytest.mark.contract("E4.13")
@pytest.mark.parametrize(("path", "text"), PLAIN)
def test_plain_settings(path: str, text: str) -> None:
    found = effects_of("mypy src", {path: text})
    assert ([write.path for write in found.writes], found.unknown) == (["/repo/pkg/.mypy_cache"], ())


ODD = [
    ("/repo/pyproject.toml", f"{HEADER}plugins = ['pydantic.mypy']\n", "plugins"),
    ("/repo/pyproject.toml", f'{HEADER}"plug\\u0069ns" = ["a.py"]\n', "plugins"),
    ("/repo/pyproject.toml", '[tool."m\\u0079py"]\nplugins = "x"\n', "plugins"),
    ("/repo/pyproject.toml", "tool = {mypy = {python_executable = './x'}}\n", "python_executable"),
    ("/repo/pyproject.toml", f"{HEADER}cache_dir = 'src'\n", "cache_dir"),
    ("/repo/pyproject.toml", f"{HEADER}html_report = 'docs'\n", "html_report"),
    ("/repo/pyproject.toml", f"{HEADER}junit_xml = 'docs'\n", "junit_xml"),
    ("/repo/pyproject.toml", f"{HEADER}python_version = '3.x;'\n", "python_version"),
    ("/repo/pyproject.toml", f"{HEADER}files = ['src', '/data/key']\n", "files"),
    ("/repo/pyproject.toml", f"{HEADER}files = 'src,../key'\n", "files"),
    ("/repo/pyproject.toml", f"{HEADER}mypy_path = '$HOME/x'\n", "mypy_path"),
    ("/repo/pyproject.toml", f"{HEADER}mypy_path = '~/x'\n", "mypy_path"),
    ("/repo/pyproject.toml", f"{HEADER}[[tool.mypy.overrides]]\nmodule = 'x'\nplugins = ['x']\n", "plugins"),
    ("/repo/pyproject.toml", f"{HEADER}overrides = 3\n", "cannot be read"),
    ("/repo/pyproject.toml", "[tool.mypy-x]\nplugins = 'x'\n", "plugins"),
    ("/repo/pyproject.toml", "tool = 'mypy'\n", "cannot be read"),
    ("/repo/pyproject.toml", "[tool.mypy\n", "cannot be read"),
    ("/repo/pkg/.mypy.ini", "[mypy]\nPlugins = x\n", "plugins"),
    ("/repo/pkg/mypy.ini", "[mypy]\nplugins: x\n", "plugins"),
    ("/repo/pkg/mypy.ini", "[mypy]\n# x\rplugins = x\n", "plugins"),
    ("/repo/pkg/mypy.ini", "[DEFAULT]\nplugins = x\n[mypy]\n", "plugins"),
    ("/repo/pkg/mypy.ini", "[mypy]\nstrict = True\n  plugins = x\n", "plugins"),
    ("/repo/pkg/mypy.ini", "  [mypy]\n plugins = x\n", "plugins"),
    ("/repo/pkg/mypy.ini", "[mypy]\n[x = 1\nplugins = x\n", "of which one in"),
    ("/repo/pkg/mypy.ini", "[mypy]\nexclude = a\n  [other]\nplugins = x\n", "plugins"),
    ("/repo/pkg/mypy.ini", "[mypy]\nfiles = a\n  /etc/passwd\n", "files"),
    ("/repo/pkg/mypy.ini", "[mypy]\nmypy_path = a\n  pretty:/etc\n", "mypy_path"),
    ("/repo/pkg/mypy.ini", "[mypy]\nstrict\n", "cannot be read"),
    ("/home/dev/.config/mypy/config", "[mypy]\ncache_dir = /tmp/x\n", "cache_dir"),
]


@pytest.mark.parametrize(("path", "text", "seen"), ODD)
def test_odd_settings(path: str, text: str, seen: str) -> None:
    (unknown,) = effects_of("mypy src", {path: text}).unknown
    assert unknown.why.startswith("mypy with settings ")
    assert (seen in unknown.why, path in unknown.why) == (True, True)


def test_what_settings_name_is_noted() -> None:
    found = effects_of("mypy", {"/repo/mypy.ini": "[mypy]\nfiles = src\npython_version = 3.11\n"})
    assert {read.path for read in found.reads} == {"/repo", "/repo/pkg/."}
    assert [program.argv for program in found.programs] == [("mypy",), ("python3.11",)]


def test_a_file_that_is_named_counts_alone() -> None:
    files = {"/repo/mypy.ini": "[mypy]\nplugins = x\n", "/repo/pkg/a.toml": HEADER}
    assert effects_of("mypy --config-file=a.toml src", files).unknown == ()
    assert effects_of("mypy --config-file ../mypy.ini src", files).unknown != ()
    assert effects_of('mypy --config-file "$x" src', files).unknown != ()


def test_settings_are_looked_for_above_the_real_place() -> None:
    assert "a link" in effects_of("mypy src", {}, is_linked=True).unknown[0].why


@pytest.mark.parametrize(
    "command", ["echo x > mypy.ini; mypy src", "mv a setup.cfg; mypy src", "ln -s a ../pyproject.toml; mypy src"]
)
def test_settings_that_the_text_changes(command: str) -> None:
    assert any("which the text itself changes" in unknown.why for unknown in effects_of(command, {}).unknown)
