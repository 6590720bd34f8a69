#!/usr/bin/env bash
# fig5_test.sh PYTHON: draws a small version of the figure. Skipped without matplotlib.
set -euo pipefail
"$1" -c 'import matplotlib' 2>/dev/null || { echo "skipped: python3-matplotlib is not installed"; exit 77; }
out=$(mktemp --suffix .svg)
trap 'rm -f "$out"' EXIT
"$1" "$(dirname "${BASH_SOURCE[0]}")/fig5.py" "$out" 1
grep -q '<svg' "$out"
