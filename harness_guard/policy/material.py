"""Files whose change is more than a repair: what a project depends on, how it is set up, shaped and rolled out.

A finding about such a file, or a change of one, is inside the Plan only if the boundary names that very file: a pattern
that happens to cover it is no approval of a new dependency (contract section 4, Review; L2.4).
"""

from __future__ import annotations

from harness_guard.paths import folded, segment_matches
from harness_guard.policy.boundary import matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

# What the file is -> patterns of its name; ``*`` stands for any run of characters.
NAMES: Final = {
    "a dependency file": (
        "Cargo.toml", "Cargo.lock", "Gemfile", "Gemfile.lock", "Pipfile", "Pipfile.lock", "bun.lock*", "build.gradle*",
        "composer.json", "composer.lock", "conda*.yml", "constraints*.txt", "deno.json*", "deno.lock",
        "environment.yml",
        "flake.lock", "flake.nix", "go.mod", "go.sum", "go.work", "gradle.lockfile", "mix.exs", "mix.lock",
        "npm-shrinkwrap.json", "package-lock.json", "package.json", "packages.lock.json", "pnpm-lock.yaml",
        "pnpm-workspace.yaml", "poetry.lock", "pom.xml", "pubspec.lock", "pubspec.yaml", "pylock*.toml",
        "pyproject.toml", "requirements*.in", "requirements*.txt", "settings.gradle*", "setup.cfg", "setup.py",
        "uv.lock", "yarn.lock", "BUILD", "BUILD.bazel", "MODULE.bazel", "WORKSPACE", "build.sbt", "meson.build",
        "Package.swift", "Package.resolved", "rust-toolchain*",
        "*.csproj", "*.fsproj", "*.gemspec", "*.podspec", "Podfile", "Podfile.lock",
    ),
    "a configuration file": (
        ".babelrc*", ".dockerignore", ".golangci.y*ml", ".travis.yml", "azure-pipelines*.yml", "babel.config.*",
        "bitbucket-pipelines.yml", "build.rs", "eslint.config.*", "rollup.config.*", ".gitlab-ci.yml", "*.mk",
        ".editorconfig", ".env", ".env.*", ".eslintrc*", ".gitattributes", ".gitignore", ".gitmodules", ".npmrc",
        ".pre-commit-config.yaml", ".prettierrc*", ".pypirc", ".yarnrc*", "CMakeLists.txt", "GNUmakefile", "Justfile",
        "Makefile", "jest.config.*", "justfile", "makefile", "mypy.ini", "noxfile.py", "pytest.ini",
        "ruff.toml", "tox.ini", "tsconfig*.json", "vite.config.*", "vitest.config.*", "webpack.config.*",
    ),
    "a schema file": (
        "schema.rb", "*.avsc", "*.graphql", "*.prisma", "*.proto", "*.sql", "*.xsd", "openapi.*", "swagger.*",
    ),
    "a deployment file": (
        "*.tf", "*.tfvars", "Chart.yaml", "Containerfile*", "Dockerfile*", "Jenkinsfile", "Procfile", "app.yaml",
        "compose*.yaml", "compose*.yml", "docker-compose*", "fly.toml", "netlify.toml", "serverless.yml", "vercel.json",
        "Vagrantfile", "kustomization.yaml",
    ),
}  # fmt: skip
# What the file is -> folders that make every file below them one.
FOLDERS: Final = {
    "a configuration file": (".cargo", ".circleci", ".github", ".gitlab"),
    "a dependency file": ("requirements",),
    "a schema file": ("migrations", "alembic"),
    "a deployment file": ("helm", "k8s", "terraform"),
}


def kind_of(path: str) -> str | None:
    """Say what of the project's set-up a path is; ``None`` for ordinary files.

    Args:
        path: Path relative to the repository root.
    """
    *folders, name = folded(path).split("/")
    for kind, patterns in NAMES.items():
        if any(segment_matches(folded(pattern), name) for pattern in patterns):
            return kind
    for kind, names in FOLDERS.items():
        if any(folder in names for folder in folders):
            return kind
    return None


def material_path(boundary: tuple[str, ...], paths: Iterable[str]) -> tuple[str, str] | None:
    """Find a path whose repair would be more than the Plan allows.

    Args:
        boundary: Entries of the policy in force.
        paths: Paths of findings and of changed files.

    Returns:
        The first such path and why; ``None`` if all are ordinary files inside the boundary, or named by it.
    """
    is_covered = matcher(boundary)
    for path in paths:
        if not is_covered(path):
            return path, "it lies outside the write boundary"
        kind = kind_of(path)
        if kind is not None and path not in boundary:
            return path, f"it is {kind} that the boundary does not name"
    return None
