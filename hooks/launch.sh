# What every registered hook command sources: silence without a process while no run is active, the guard otherwise, and
# the event's failure answer when the guard cannot decide (contract section 2). It always exits, never returns.
#
# The caller sets harness_event. POSIX only: one host runs it with dash, the other with the account's login shell.
# Nothing is read from standard input for a tool call; that is the guard's, which stops at the end of one JSON value.
[ -z "${ZSH_VERSION-}" ] || emulate sh

harness_data=${CLAUDE_PLUGIN_DATA:-${PLUGIN_DATA-}}
harness_folder=$harness_data/active
harness_markers=yes
case $harness_data in
/*)
  set +f
  set -- "$harness_folder"/*
  if [ -e "$1" ] || [ -L "$1" ]; then
    :
  elif [ -d "$harness_folder" ]; then
    # A folder that cannot be listed may hold anything.
    if [ -r "$harness_folder" ] && [ -x "$harness_folder" ]; then harness_markers=; fi
  elif [ -e "$harness_folder" ] || [ -L "$harness_folder" ]; then
    :
  elif [ ! -e "$harness_data" ] || { [ -d "$harness_data" ] && [ -x "$harness_data" ]; }; then
    harness_markers=
  fi
  ;;
esac
if [ -z "$harness_markers" ] && [ "$harness_event" != UserPromptSubmit ]; then exit 0; fi

harness_line='
'
harness_root=$CLAUDE_PLUGIN_ROOT

# $1: a path. Leaves it in harness_quoted as one word of a shell.
harness_quote() {
  harness_rest=$1
  harness_quoted="'"
  while :; do
    case $harness_rest in
    *"'"*)
      harness_quoted="$harness_quoted${harness_rest%%"'"*}'\\''"
      harness_rest=${harness_rest#*"'"}
      ;;
    *) break ;;
    esac
  done
  harness_quoted="$harness_quoted$harness_rest'"
}

# $1: what was seen. Says it in the shape that both hosts honour, and exits.
harness_fail() {
  harness_first="harness-guard launcher.cannot-decide: the guard cannot decide this call: $1."
  # Nobody may be listening; the status refuses all the same.
  trap '' PIPE
  harness_quote "$harness_data"
  harness_next="Next: have the user run in a terminal: PLUGIN_DATA=$harness_quoted python3"
  harness_quote "$harness_root/hooks/harness_guard.py"
  harness_next="$harness_next $harness_quoted provision"
  harness_json="$harness_first\\n$harness_next"
  case $harness_first$harness_next in
  *[\"[:cntrl:]]* | *'\'*)
    harness_json="harness-guard launcher.cannot-decide: the guard cannot decide this call.\\nNext: have the user run the provision command of harness-guard"
    ;;
  esac
  case $harness_event in
  Stop | SubagentStop | SubagentStart) exit 0 ;;
  UserPromptSubmit)
    printf '%s\n' "{\"hookSpecificOutput\":{\"hookEventName\":\"UserPromptSubmit\",\"additionalContext\":\"$harness_json\\nThis prompt activated nothing and approved nothing.\"}}"
    exit 0
    ;;
  ConfigChange) harness_json="{\"decision\":\"block\",\"reason\":\"$harness_json\"}" ;;
  PreSkillShellCommand | *)
    case $harness_event in PreSkillShellCommand) ;; *) harness_event=PreToolUse ;; esac
    harness_json="{\"hookSpecificOutput\":{\"hookEventName\":\"$harness_event\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"$harness_json\"}}"
    ;;
  esac
  printf '%s\n%s\n' "$harness_first" "$harness_next" >&2
  printf '%s\n' "$harness_json" 2>/dev/null
  exit 2
}

# $1: the prompt's marker or nothing. Runs the recorded interpreter and takes only an answer that ends in its verdict:
# an interpreter that exits 0 without deciding, or is killed, has not let anything pass.
harness_guard() {
  # The complaints of the interpreter, and of the shell about it, are dropped: standard error carries reasons, and the
  # first line must be one.
  {
    harness_out=$("$harness_python" -I -S -X "pycache_prefix=$harness_data/pycache" \
      "$harness_root/hooks/harness_guard.py" --launched "$harness_event" "$1")
    harness_status=$?
  } 2>/dev/null
  # Split into lines in one go: taking lines off with patterns is quadratic in some shells.
  set -f
  IFS=$harness_line
  set -- $harness_out
  harness_verdict=
  for harness_verdict; do :; done
  case $harness_status:$harness_verdict:$#:$harness_event in
  0:harness-guard:pass:1:*) exit 0 ;;
  0:harness-guard:answer:2:*)
    printf '%s\n' "$1"
    exit 0
    ;;
  2:harness-guard:deny:[0-9]*:PreToolUse | 2:harness-guard:deny:[0-9]*:PreSkillShellCommand | 2:harness-guard:deny:[0-9]*:ConfigChange)
    harness_first=$1
    case ${2-} in
    '|'?*)
      shift
      # Each line of the reason stands behind a bar, so that empty ones survive the splitting.
      for harness_reason; do
        case $harness_reason in '|'*) printf '%s\n' "${harness_reason#?}" ;; esac
      done >&2
      trap '' PIPE
      printf '%s\n' "$harness_first" 2>/dev/null
      exit 2
      ;;
    esac
    ;;
  esac
  harness_fail "it ended with status $harness_status and without a verdict"
}

case $harness_data in
/*) ;;
*) harness_fail 'the host named no data folder' ;;
esac

harness_marker=
if [ "$harness_event" = UserPromptSubmit ]; then
  harness_payload=$(cat)
  # Wider than the activation grammar on purpose: the guard decides, this only decides whether to ask it.
  case $harness_payload in
  *'"$harness'* | *'\n$harness'* | *'\r$harness'* | *'\u000'[aAdD]'$harness'*) harness_marker=yes ;;
  *'"\u0024harness'* | *'\n\u0024harness'* | *'\r\u0024harness'* | *'\u000'[aAdD]'\u0024harness'*) harness_marker=yes ;;
  *'skills/harness/SKILL.md'* | *'skills\/harness\/SKILL.md'*) harness_marker=yes ;;
  *'plugin://harness@'* | *'plugin:\/\/harness@'*) harness_marker=yes ;;
  esac
  if [ -n "$harness_marker" ]; then
    # The marker stands before anything can fail: while it does, tools are denied until somebody has judged this prompt.
    umask 077
    harness_marker=$harness_folder/prompt-$$
    while [ -e "$harness_marker" ]; do harness_marker=$harness_marker-; done
    harness_draft=$harness_folder/.draft-${harness_marker##*/}
    mkdir -p "$harness_folder" 2>/dev/null &&
      printf '%s' "$harness_payload" 2>/dev/null >"$harness_draft" &&
      mv -f "$harness_draft" "$harness_marker" 2>/dev/null ||
      harness_fail "the prompt could not be noted in $harness_folder"
    harness_markers=yes
  fi
fi
[ -n "$harness_markers" ] || exit 0

harness_python=
[ ! -r "$harness_data/interpreter" ] || IFS= read -r harness_python <"$harness_data/interpreter"
case $harness_python in
/*) [ -f "$harness_python" ] && [ -x "$harness_python" ] || harness_fail "the recorded interpreter $harness_python is gone" ;;
*) harness_fail 'no interpreter is recorded, so nothing was provisioned' ;;
esac
[ -r "$harness_root/hooks/harness_guard.py" ] || harness_fail "$harness_root/hooks/harness_guard.py cannot be read"

if [ -n "$harness_marker" ]; then
  harness_guard "$harness_marker" <"$harness_marker"
elif [ "$harness_event" = UserPromptSubmit ]; then
  printf '%s' "$harness_payload" | harness_guard ''
  exit
fi
harness_guard ''
