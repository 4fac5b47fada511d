"""Rows: destruction of the repository, a home, the root, system folders and devices.

Sources: the man pages of coreutils, findutils, util-linux, e2fsprogs, lvm2, cryptsetup, rsync and diskutil.
"""

from __future__ import annotations

from harness_guard.policy.danger.model import Rule
from harness_guard.policy.danger.operands import is_anything
from harness_guard.policy.danger.places import (
    is_around,
    is_below_dev,
    is_device,
    is_device_output,
    is_git_own,
    is_precious,
    is_precious_to_move,
    is_system_file,
    is_vital,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_FIND_FILTERS: Final = (
    "-name -iname -path -ipath -wholename -type -mtime -mmin -ctime -cmin -atime -amin -size -newer -regex -iregex "
    "-empty -maxdepth -samefile -inum -user -group -perm -links"
)

_REMOVES: Final = (
    "-exec=rm -execdir=rm -ok=rm -okdir=rm -exec=unlink -execdir=unlink -exec=shred -execdir=shred -exec=busybox "
    "-execdir=busybox -exec=rmdir -exec=trash"
)

FILES: Final = (
    Rule(
        "danger.destroy",
        "rm-recursive",
        "it would remove a folder that is not to be lost",
        "rm srm",
        options=("-r -R --recursive --no-preserve-root",),
        operand=is_precious,
    ),
    Rule(
        "danger.destroy",
        "rm-git",
        "it would remove git's own folder or what it keeps",
        "rm unlink rmdir trash",
        operand=is_git_own,
    ),
    Rule(
        "danger.destroy",
        "find-delete-vital",
        "it would remove files all over a folder that is not to be lost",
        "find gfind bfs",
        options=("-delete",),
        among="leading",
        operand=is_vital,
    ),
    Rule(
        "danger.destroy",
        "find-delete-all",
        "it would remove everything in the folder",
        "find gfind bfs",
        options=("-delete",),
        without=_FIND_FILTERS,
        among="leading",
        operand=is_around,
    ),
    Rule(
        "danger.destroy",
        "find-exec-vital",
        "it would remove files all over a folder that is not to be lost",
        "find gfind bfs",
        options=(_REMOVES,),
        among="leading",
        operand=is_vital,
    ),
    Rule(
        "danger.destroy",
        "find-exec-all",
        "it would remove everything in the folder",
        "find gfind bfs",
        options=(_REMOVES,),
        without=_FIND_FILTERS,
        among="leading",
        operand=is_around,
    ),
    Rule(
        "danger.permissions",
        "find-exec-permissions",
        "it would change permissions all over a folder not to be touched",
        "find gfind bfs",
        options=("-exec=chmod -execdir=chmod -exec=chown -execdir=chown -exec=chgrp -exec=chattr",),
        among="leading",
        operand=is_vital,
    ),
    Rule(
        "danger.destroy",
        "mv-away",
        "it would move away a folder that is not to be lost",
        "mv",
        among="sources",
        operand=is_precious_to_move,
    ),
    Rule(
        "danger.destroy",
        "rsync-delete",
        "it would remove what is not in the source from a folder not to be lost",
        "rsync",
        options=("--delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --del",),
        without="--dry-run -n",
        operand=is_vital,
        among="files",
    ),
    Rule("danger.device", "dd-device", "it would overwrite a device", "dd dcfldd ddrescue", operand=is_device_output),
    Rule("danger.device", "redirect-device", "it would overwrite a device", "*", among="targets", operand=is_device),
    Rule(
        "danger.device",
        "write-device",
        "it would overwrite a device",
        "tee shred wipefs wipe truncate blkdiscard",
        operand=is_device,
    ),
    Rule(
        "danger.device", "copy-device", "it would overwrite a device", "cp mv install", among="last", operand=is_device
    ),
    Rule(
        "danger.device",
        "format",
        "it would format a device",
        "mkfs mke2fs mkswap newfs newfs_hfs newfs_apfs newfs_msdos mkntfs mkdosfs",
        operand=is_below_dev,
    ),
    Rule(
        "danger.device",
        "partition",
        "it would partition a device",
        "fdisk sfdisk gdisk sgdisk cfdisk parted hdparm gpt",
        without="-l --list --no-act -n -d --dump -I",
        operand=is_below_dev,
    ),
    Rule(
        "danger.device",
        "volumes",
        "it would remove or overwrite a volume",
        "lvremove vgremove pvremove pvcreate lvreduce",
        without="--test -t",
        operand=is_anything,
    ),
    Rule(
        "danger.device",
        "volumes-encrypted",
        "it would erase an encrypted volume",
        "cryptsetup",
        path="luksformat|lukserase|erase|reencrypt|lukskillslot|format",
    ),
    Rule(
        "danger.device",
        "volumes-zfs",
        "it would destroy a pool, a volume or a snapshot",
        "zfs zpool btrfs mdadm",
        path="destroy|labelclear|subvolume delete|subvolume del",
        without="-n",
    ),
    Rule(
        "danger.device",
        "diskutil",
        "it would erase or partition a device",
        "diskutil",
        path="erasedisk|erasevolume|partitiondisk|reformat|zerodisk|randomdisk|secureerase|apfs deletecontainer|"
        "apfs deletevolume|apfs erasevolume|eraseoptical|destroyraid|unmountdisk force",
    ),
    Rule(
        "danger.system",
        "redirect-system",
        "it would write into a system folder",
        "*",
        among="targets",
        operand=is_system_file,
    ),
    Rule(
        "danger.system",
        "write-system",
        "it would write into a system folder",
        "*",
        among="written",
        operand=is_system_file,
    ),
    Rule("danger.system", "tee-system", "it would write into a system folder", "tee truncate", operand=is_system_file),
    Rule("danger.shred", "shred", "it would make files unrecoverable", "shred wipe srm", operand=is_anything),
)
