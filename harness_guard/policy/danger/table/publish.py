"""Rows: publishing packages, releases, images and changes of the forge.

A dry run is none, though it may run the repository's scripts: nothing is published, and scripts are refused as
unknown. Sources: the command lines' own documentation.
"""

from __future__ import annotations

from harness_guard.policy.danger.model import Rule
from harness_guard.policy.danger.operands import is_registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

PUBLISH: Final = (
    Rule(
        "danger.publish",
        "packages",
        "it would publish or withdraw a package",
        "npm pnpm yarn cargo bun poetry uv flit hatch lerna pdm rye maturin vsce ovsx jsr deno changeset nx "
        "wrangler turbo",
        path="publish|unpublish|npm publish|yank|upload|release publish",
        without="--dry-run -n",
    ),
    Rule(
        "danger.publish",
        "package-rights",
        "it would change who owns a package or how it is found",
        "npm pnpm yarn cargo gem",
        path="owner add|owner rm|owner remove|access grant|access revoke|access set|deprecate|dist-tag add|dist-tag rm|"
        "token create|token revoke|owner --add",
    ),
    Rule("danger.publish", "twine", "it would publish a package", "twine", path="upload"),
    Rule(
        "danger.publish",
        "setup-upload",
        "it would publish a package",
        "setup.py",
        path="upload|sdist upload|register",
    ),
    Rule("danger.publish", "gem", "it would publish or withdraw a package", "gem", path="push|yank"),
    Rule(
        "danger.publish",
        "other-packages",
        "it would publish a package",
        "dotnet nuget mvn mvnw gradle gradlew sbt mix pod dart flutter anaconda cabal stack goreleaser helm "
        "ansible-galaxy semantic-release conan luarocks composer swift",
        path="nuget push|push|deploy|publish|publishtomavencentral|hex.publish|trunk push|pub publish|upload|release|"
        "collection publish",
        without="--dry-run -n --snapshot",
    ),
    Rule(
        "danger.publish",
        "forge-release",
        "it would publish or remove on the forge",
        "gh glab hub tea",
        path="release create|release delete|release upload|release edit|release delete-asset|gist create|gist delete|"
        "pr merge|mr merge",
    ),
    Rule(
        "danger.publish",
        "forge-repository",
        "it would change or remove a repository on the forge",
        "gh glab hub tea",
        path="repo delete|repo archive|repo rename|repo edit|repo transfer|secret set|secret delete|variable set|"
        "variable delete|ssh-key add|deploy-key add|ruleset delete|label delete|issue delete|run delete|cache delete",
    ),
    Rule(
        "danger.publish",
        "forge-api",
        "it would change or remove on the forge",
        "gh glab",
        path="api",
        options=("-X=DELETE -X=PUT -X=PATCH -X=delete -X=put -X=patch --method=DELETE --method=PUT --method=PATCH",),
    ),
    Rule(
        "danger.containers",
        "images",
        "it would publish an image",
        "docker podman buildah nerdctl skopeo crane docker-compose",
        path="push|image push|manifest push|compose push",
        without="--dry-run",
    ),
    Rule(
        "danger.containers",
        "images-built",
        "it would publish an image",
        "docker podman buildah",
        path="build|buildx build|buildx bake",
        options=("--push",),
    ),
    Rule("danger.containers", "registry-copy", "it would publish an image", "skopeo", path="copy", operand=is_registry),
)
