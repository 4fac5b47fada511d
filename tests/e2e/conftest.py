"""Conversations with the real hosts as fixtures: `claude`, `codex`, and `host`, which is each of them in turn."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
