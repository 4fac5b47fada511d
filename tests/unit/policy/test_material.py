"""What is more than a repair: files outside the boundary, and a project's set-up that the boundary does not name."""

from __future__ import annotations

import pytest

from harness_guard.policy.material import kind_of, material_path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("package.json", "a dependency file"),
        ("web/package-lock.json", "a dependency file"),
        ("requirements-dev.txt", "a dependency file"),
        ("requirements/base.txt", "a dependency file"),
        ("Package.JSON", "a dependency file"),
        (".gitlab-ci.yml", "a configuration file"),
        ("pyproject.toml", "a dependency file"),
        ("src/App.csproj", "a dependency file"),
        ("Makefile", "a configuration file"),
        (".env", "a configuration file"),
        (".env.local", "a configuration file"),
        (".github/workflows/ci.yml", "a configuration file"),
        ("docs/.github.md", None),
        ("db/migrations/0001_init.py", "a schema file"),
        ("api/user.proto", "a schema file"),
        ("Dockerfile.dev", "a deployment file"),
        ("k8s/app.yaml", "a deployment file"),
        ("infra/main.tf", "a deployment file"),
        ("src/terraform.py", None),
        ("src/makefile.py", None),
        ("tests/conftest.py", None),
        ("src/slug.py", None),
    ],
)
def test_kind_of(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind


@pytest.mark.contract("L2.4")
@pytest.mark.parametrize(
    ("boundary", "paths", "found"),
    [
        (("src/",), ("src/a.py",), None),
        (("src/",), (), None),
        (("src/",), ("src/a.py", "README.md"), ("README.md", "it lies outside the write boundary")),
        (("**",), ("package.json",), ("package.json", "it is a dependency file that the boundary does not name")),
        (("**", "package.json"), ("package.json",), None),
        (("package.json",), ("package.json",), None),
        (
            ("web/*.json",),
            ("web/package.json",),
            ("web/package.json", "it is a dependency file that the boundary does not name"),
        ),
        (("src/",), ("src/.git/config",), ("src/.git/config", "it lies outside the write boundary")),
        ((), ("a",), ("a", "it lies outside the write boundary")),
    ],
)
def test_material_path(boundary: tuple[str, ...], paths: tuple[str, ...], found: tuple[str, str] | None) -> None:
    assert material_path(boundary, paths) == found
