"""Run shell programs, each in a fresh copy of a small world, and report what they wrote: one JSON line in, one out.

Started by ``bench.py`` in namespaces of its own, with the folder of the world as its only argument. The world is a
root folder: the machine's programs are mounted into it read-only, the rest is built here. What a program wrote is found by
comparing all names, inodes and times with those from before; then the world is built again.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

FILES = {
    "repo/a.txt": "a\nb\n",
    "repo/b.txt": "b\n",
    "repo/-n": "dash\n",
    "repo/two words": "x\n",
    "repo/run.sh": "echo hi\n",
    "repo/src/x.py": "x = 1\n",
    "repo/src/y.py": "y = 1\n",
    "repo/src/lib/z.py": "z = 1\n",
    "repo/docs/n.txt": "one\ntwo\n",
    "repo/docs/a.txt": "a\n",
    "outside/secret.txt": "secret\n",
    "outside/dir/keep.txt": "keep\n",
    "home/dev/notes.txt": "notes\n",
}
LINKS = {
    "repo/link-out": "/outside",
    "repo/link-in": "src",
    "repo/docs/up": "../../outside",
    "repo/link-file": "/outside/secret.txt",
    "repo/link-new": "/outside/new",
}
FOLDERS = ("tmp", "repo/empty", "outside/deep/er", "home/dev/w")
SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "etc")
TOPS = ("repo", "outside", "home", "tmp")
OLD = 1_600_000_000
ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/home/dev", "LC_ALL": "C.UTF-8", "PWD": "/repo"}
TIME_LIMIT_S = 5.0


def mount_system(root: str) -> None:
    """Mount the machine's programs read-only, and the few devices that shells use."""
    for name in SYSTEM:
        source, target = os.path.realpath(f"/{name}"), f"{root}/{name}"
        if os.path.isdir(source):
            _mount(target, "--bind", source)
            subprocess.run(["mount", "-o", "remount,bind,ro", target], check=True)
    _mount(f"{root}/proc", "-t", "proc", "proc")
    _mount(f"{root}/dev", "-t", "tmpfs", "none")
    for name in ("null", "zero", "tty"):
        with open(f"{root}/dev/{name}", "w"):
            pass
        subprocess.run(["mount", "--bind", f"/dev/{name}", f"{root}/dev/{name}"], check=True)
    os.symlink("/proc/self/fd", f"{root}/dev/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"{root}/dev/{name}")
    subprocess.run(["mount", "-o", "remount,ro", f"{root}/dev"], check=True)


def _mount(target: str, *what: str) -> None:
    # Everything at the top is a mount, so that no program can remove it.
    os.makedirs(target)
    subprocess.run(["mount", *what, target], check=True)


def build(root: str) -> None:
    """Build what programs may write, with one old time everywhere."""
    for top in TOPS:
        shutil.rmtree(f"{root}/{top}", ignore_errors=True)
    for folder in FOLDERS:
        os.makedirs(f"{root}/{folder}", exist_ok=True)
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(f"{root}/{name}"), exist_ok=True)
        with open(f"{root}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    for name, target in LINKS.items():
        os.symlink(target, f"{root}/{name}")
    for top in TOPS:
        for folder, folders, files in os.walk(f"{root}/{top}", topdown=False):
            for name in (*folders, *files):
                os.utime(f"{folder}/{name}", (OLD, OLD), follow_symlinks=False)
        os.utime(f"{root}/{top}", (OLD, OLD))
    time.sleep(0.006)  # longer than a tick of the clock that files' times are taken from


def snapshot(root: str) -> dict[str, tuple[int, ...]]:
    """List everything below the root that is not mounted, with what changes when it is written."""
    found = {}
    todo = [""]
    while todo:
        folder = todo.pop()
        with os.scandir(f"{root}{folder}/") as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}"
                if not folder and entry.name in {*SYSTEM, "proc", "dev"}:
                    continue
                status = entry.stat(follow_symlinks=False)
                times = (status.st_mtime_ns, status.st_ctime_ns)
                is_folder = entry.is_dir(follow_symlinks=False)
                # A folder's size and links follow from what is in it; so do its times, which are looked at apart.
                own = (status.st_mode, status.st_uid, status.st_gid)
                found[path] = own if is_folder else (*own, status.st_ino, status.st_size, *times)
                if is_folder:
                    found[f"{path}/"] = times
                    todo.append(path)
    return found


def written(before: dict[str, tuple[int, ...]], after: dict[str, tuple[int, ...]]) -> list[str]:
    """Name what differs; ``folder/?`` where something in a folder came and went again."""
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    named = {path for path in changed if not path.endswith("/")}
    parents = {path.rpartition("/")[0] for path in named}
    gone = {path for path in changed if path.endswith("/") and path in before and path in after}
    return sorted(named | {f"{path}?" for path in gone if path[:-1] not in parents | named})


def run(root: str, program: str) -> int:
    """Run a program under bash in the world; its process group dies with it."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            quiet = os.open(os.devnull, os.O_RDWR)
            for end in (0, 1, 2):
                os.dup2(quiet, end)
            os.chroot(root)
            os.chdir("/repo")
            for kind, most in ((resource.RLIMIT_CPU, 2), (resource.RLIMIT_FSIZE, 1 << 20), (resource.RLIMIT_CORE, 0)):
                resource.setrlimit(kind, (most, most))
            os.execve("/bin/bash", ["bash", "-c", program], ENVIRON)
        finally:
            os._exit(127)
    deadline = time.monotonic() + TIME_LIMIT_S
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done or time.monotonic() > deadline:
            break
        time.sleep(0.0005)
    _end_all()
    if not done:
        _, status = os.waitpid(pid, 0)
    if not os.path.exists(f"{root}/bin/bash"):
        sys.exit("the program took the world's bash away")
    return status


def _end_all() -> None:
    """End what the program left running: everything in the namespace but this process, which is its first."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return
    while True:
        try:
            found, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not found:
            return


def main() -> None:
    """Serve programs until the input ends."""
    root = sys.argv[1]
    mount_system(root)
    build(root)
    before = snapshot(root)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        status = run(root, json.loads(line))
        found = written(before, snapshot(root))
        if found:
            build(root)
            before = snapshot(root)
        sys.stdout.write(json.dumps({"written": found, "status": status}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
