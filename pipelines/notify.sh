#!/bin/sh
# Shows a notification on the desktop, or prints it on standard error, which flow logs.
#
#     notify.sh 'Heron 9 | Relay 12: net 2026-03-03 → 2026-03-04'
#
# The event itself is on standard input as JSON; FLOW_EVENT_ID identifies a repeat.
set -eu
text=${1:?the text to show}
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v notify-send >/dev/null 2>&1; then
  notify-send --app-name=flow -- "${FLOW_PIPELINE:-flow}" "$text"
else
  printf '%s\n' "$text" >&2
fi
