"""Which variables may be set without changing what a program of the table does (PARSERS of bash and its programs)."""

from __future__ import annotations

_PREFIXES = (
    "LD_", "DYLD_", "GIT_", "BASH", "PYTHON", "PERL", "RUBY", "NODE_", "NPM_", "npm_", "LESS", "RIPGREP_", "GREP_",
    "GCONV_", "LOC", "MALLOC_", "GLIBC_", "TERM", "SSH_", "RSYNC_", "TAR_", "JAVA", "_JAVA", "MAGIC", "FZF_", "FD_",
    "CLAUDE", "CODEX", "PLUGIN_", "HARNESS_", "XDG_", "PS4", "PSM", "HIST", "COMP", "DOCKER_", "KUBE", "AWS_", "JQ_",
    "AWK", "POSIX", "NLS", "HG", "SVN_", "CURL_", "WGET", "ZIP", "UNZIP", "GZIP", "BZIP", "XZ_", "ZSTD_", "PATCH_",
    "OPENSSL", "BAT_", "PKG_CONFIG", "SYSTEMD_", "BC_", "DC_", "LSOF", "TAPE", "YQ_", "SSL_",
    "PIP_", "UV_", "CONDA_", "MAMBA_", "GEM_", "BUNDLE_", "CARGO_", "RUSTUP_", "RUSTC", "RUSTFLAGS", "CGO_", "APT_",
    "DPKG_", "RPM_", "BUN_", "DENO_", "RUFF_", "BLACK_", "ISORT_", "MYPY", "FLAKE8_", "SHELLCHECK_", "YAMLLINT_",
    "LUA_", "GNUMAKE", "PYENV_", "RBENV_", "NODENV_", "ASDF_", "MISE_", "VOLTA_", "COREPACK_", "XML_CATALOG",
    "SGML_CATALOG", "GCC_", "CCACHE_", "COLLECT_", "PIPX_", "PRE_COMMIT_", "JULIA_", "ZIG_", "JDK_", "PHP_INI",
    "SSLKEYLOG", "GH_", "GITHUB_", "GLAB_", "GITLAB_", "GLAMOUR_", "AZURE_", "ARM_", "CLOUDSDK_", "GOOGLE_", "BOTO",
    "HELM_", "TF_", "PACKER_", "VAULT_", "ANSIBLE_", "HOMEBREW_", "COMPOSE_", "CONTAINER_", "CONTAINERS_", "PODMAN_",
    "BUILDX_", "BUILDKIT_", "PG", "PSQL", "MYSQL_", "MARIADB_", "SQLITE_", "DUCKDB_", "REDISCLI_", "SQLCMD", "TMUX",
    "SCREEN", "GNUPG", "GPG_", "DIGITALOCEAN_", "HEROKU_", "FLY_", "AUTH0_", "CDK_", "GSUTIL_", "LIBNM",
    "LIBMYSQL", "DEBUGINFOD", "TERRAFORM_", "VALKEYCLI_", "DBUS_", "GIO_", "KRB5", "GSS_", "SASL_", "LDAP", "GNUTLS_",
    "P11_", "PKCS11", "NSS_", "STORAGE_", "GROFF_", "SWIFT_", "OBJC_", "Malloc", "CCC_",
)  # fmt: skip
_NAMES = frozenset(
    ("PATH", "ENV", "IFS", "CDPATH", "HOME", "PWD", "OLDPWD", "TMPDIR", "TMP", "TEMP", "PROMPT_COMMAND", "PAGER",
     "EDITOR",
     "VISUAL", "SHELL", "SHELLOPTS", "GLOBIGNORE", "FIGNORE", "EXECIGNORE", "TMOUT", "BROWSER", "MANPAGER", "MANOPT",
     "OPTIND", "OPTERR", "FUNCNEST", "FCEDIT", "INPUTRC", "MAILPATH", "MAIL", "TZDIR", "UID", "EUID", "PPID", "RANDOM",
     "SECONDS", "LINENO", "DIRSTACK", "FUNCNAME", "GROUPS", "MAPFILE", "REPLY", "LINES", "COLUMNS", "HOSTFILE", "EMACS",
     "TIMEFORMAT", "ZDOTDIR", "MAKEFLAGS", "CDPATHS", "USER", "LOGNAME", "DISPLAY", "SIMPLE_BACKUP_SUFFIX",
     "VERSION_CONTROL", "QUOTING_STYLE", "EPOCHSECONDS", "EPOCHREALTIME", "SRANDOM", "PIPESTATUS", "COPROC", "OPTARG",
     "STDBUF", "NULLCMD", "READNULLCMD", "CLASSPATH", "GOFLAGS", "GOENV", "GOPATH", "GOROOT", "GOPROXY", "GOTOOLCHAIN",
     "GOCACHE", "GOMODCACHE", "GOTMPDIR", "GOBIN", "GOWORK", "GOVCS", "GOSUMDB", "GOOS", "GOARCH", "GOEXPERIMENT",
     "GO111MODULE", "GOINSECURE", "GOPRIVATE", "GOTOOLDIR", "GOAUTH", "GOCACHEPROG", "GODEBUG", "GONOPROXY",
     "GONOSUMDB", "GOCOVERDIR", "GOFIPS140", "GOMOD", "CC", "CXX", "FC", "AR", "COWPATH", "COMPILER_PATH",
     "DEVELOPER_DIR", "SDKROOT", "TOOLCHAINS", "MANROFFSEQ", "DESTDIR", "PREFIX",
     "VIRTUAL_ENV", "PHPRC", "R_HOME",
     "R_PROFILE", "R_ENVIRON", "MANPATH", "MANROFFOPT", "MANSECT", "MANLESS",
     "NETRC", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS")
)  # fmt: skip
_HARMLESS_EXPORTS = frozenset(
    ("TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "NODE_ENV", "COLUMNS", "LINES",
     "DEBIAN_FRONTEND", "BLOCK_SIZE", "TIME_STYLE")
)  # fmt: skip
_HARMLESS_PAIRS = frozenset(
    (("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_PAGER", ""), ("PAGER", ""), ("GIT_OPTIONAL_LOCKS", "0"),
     ("GIT_TERMINAL_PROMPT", "0"), ("TERM", "dumb"), ("TERM", "xterm"), ("TERM", "xterm-256color"),
     ("GIT_EDITOR", "true"), ("GIT_EDITOR", ":"), ("GIT_CONFIG_NOSYSTEM", "1"), ("PYTHONDONTWRITEBYTECODE", "1"),
     ("PYTHONUNBUFFERED", "1"), ("PYTHONIOENCODING", "utf-8"), ("PYTHONUTF8", "1"), ("AWS_PAGER", ""),
     ("AWS_PAGER", "cat"), ("GH_PAGER", ""), ("GH_PAGER", "cat"), ("GH_PROMPT_DISABLED", "1"), ("DOCKER_BUILDKIT", "1"))
)  # fmt: skip
# They say as whom, or about what, a service is asked; a value that is not known would tell the service of it.
_HARMLESS_IF_KNOWN = frozenset(
    ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_DEFAULT_OUTPUT", "GH_REPO", "CLOUDSDK_CORE_PROJECT",
     "GOOGLE_CLOUD_PROJECT", "MYSQL_PWD", "PGPASSWORD", "PGUSER", "PGDATABASE", "PGCONNECT_TIMEOUT",
     "PGAPPNAME", "TF_IN_AUTOMATION", "HOMEBREW_NO_AUTO_UPDATE", "HOMEBREW_NO_ANALYTICS",
     "HOMEBREW_NO_ENV_HINTS")
)  # fmt: skip

_PLAIN_LOCALES = frozenset(("C", "POSIX", "", "en", "en_US"))


def is_harmless(name: str, value: str | None) -> bool:
    """Tell whether a variable may be set.

    Args:
        name: Its name.
        value: The value, ``None`` if unknown. Even a plain assignment may reach programs: the variable may be
            exported already.

    Returns:
        Whether no program of the table, nor bash, changes what it reads, writes or runs because of it.
    """
    if (name, value) in _HARMLESS_PAIRS:
        return True
    if name in _HARMLESS_EXPORTS or (value is not None and name in _HARMLESS_IF_KNOWN):
        return True
    if name.lower().endswith("_proxy"):
        return False
    if name.startswith("LC_") or name in {"LANG", "LANGUAGE"}:
        # In some encodings a backslash is the second half of a character, for the shell and for its programs.
        return value in _PLAIN_LOCALES or (value is not None and _is_utf8(value))
    return name not in _NAMES and not name.startswith(_PREFIXES)


def _is_utf8(locale: str) -> bool:
    return "/" not in locale and locale.lower().endswith((".utf-8", ".utf8"))
