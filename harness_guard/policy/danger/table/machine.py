"""Rows: privilege, permissions, accounts and the machine itself.

Sources: the man pages of sudo, util-linux, shadow, systemd, kmod, iptables, procps, cron and of macOS.
"""

from __future__ import annotations

from harness_guard.policy.danger.model import Rule
from harness_guard.policy.danger.operands import (
    is_all_processes,
    is_anything,
    is_firewall_end,
    is_network_change,
    is_opening_mode,
    is_runlevel,
    is_set_id_mode,
    is_setting,
    is_stopping,
    is_zero,
)
from harness_guard.policy.danger.places import is_precious

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MACHINE: Final = (
    Rule(
        "danger.privilege",
        "other-user",
        "it would take another user's rights",
        "sudo su doas pkexec runuser sudoedit visudo run0 gosu su-exec machinectl runas",
    ),
    Rule("danger.privilege", "capability", "it would give a program rights of its own", "setcap", operand=is_anything),
    Rule("danger.permissions", "open", "it would let everybody write", "chmod", among="first", operand=is_opening_mode),
    Rule(
        "danger.permissions",
        "set-id",
        "it would give a file a set-id bit",
        "chmod install",
        among="first",
        operand=is_set_id_mode,
    ),
    Rule(
        "danger.permissions",
        "whole-folder",
        "it would change permissions or owner of a folder not to be touched",
        "chmod chown chgrp setfacl chattr",
        options=("-R --recursive",),
        operand=is_precious,
    ),
    Rule(
        "danger.account",
        "accounts",
        "it would change accounts of the machine",
        "passwd useradd userdel usermod groupadd groupdel groupmod chpasswd adduser deluser chage gpasswd "
        "newusers vipw",
    ),
    Rule(
        "danger.account",
        "directory",
        "it would change accounts of the machine",
        "dscl",
        options=("-delete -create -passwd -append -change -merge",),
    ),
    Rule(
        "danger.account",
        "directory-words",
        "it would change accounts of the machine",
        "dscl",
        path=". delete|. create|. passwd|. append|. change|. merge",
    ),
    Rule(
        "danger.machine",
        "stop",
        "it would stop or change the machine",
        "shutdown reboot halt poweroff telinit insmod rmmod modprobe kexec swapoff",
    ),
    Rule("danger.machine", "runlevel", "it would stop or change the machine", "init", operand=is_runlevel),
    Rule(
        "danger.machine",
        "services",
        "it would stop or change services of the machine",
        "systemctl",
        path="stop|disable|mask|poweroff|reboot|halt|kill|isolate|rescue|emergency|suspend|hibernate",
    ),
    Rule(
        "danger.machine",
        "service",
        "it would stop a service of the machine",
        "service rc-service brew",
        operand=is_stopping,
        among="last",
    ),
    Rule(
        "danger.machine",
        "launch",
        "it would change services of the machine",
        "launchctl",
        path="load|unload|bootstrap|bootout|remove|disable|enable|kill|kickstart|submit",
    ),
    Rule("danger.machine", "kill-all", "it would end every process", "kill", among="words", operand=is_all_processes),
    Rule("danger.machine", "kill-everything", "it would end every process", "killall5"),
    Rule(
        "danger.machine",
        "jobs",
        "it would replace or remove the scheduled jobs",
        "crontab",
        options=("-r -e",),
    ),
    Rule("danger.machine", "jobs-file", "it would replace the scheduled jobs", "crontab", operand=is_anything),
    Rule(
        "danger.machine",
        "firewall",
        "it would drop firewall rules",
        "iptables ip6tables nft ufw pfctl",
        among="words",
        operand=is_firewall_end,
    ),
    Rule(
        "danger.machine",
        "firmware",
        "it would weaken or change the machine's own protection",
        "csrutil spctl bputil",
        path="disable|clear|authenticated-root disable|enable --without|netboot add|kext-consent disable",
    ),
    Rule(
        "danger.machine",
        "firmware-options",
        "it would weaken or change the machine's own protection",
        "nvram spctl",
        options=("-c -d -f --master-disable --global-disable",),
    ),
    Rule("danger.machine", "firmware-values", "it would change the machine's start", "nvram", operand=is_setting),
    Rule("danger.machine", "protection", "it would switch the machine's protection off", "setenforce", operand=is_zero),
    Rule(
        "danger.machine",
        "network",
        "it would change the machine's network",
        "networksetup",
        among="words",
        operand=is_network_change,
    ),
)
