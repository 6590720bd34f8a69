#!/usr/bin/env bash
# check.sh PROGRAM: runs an example and compares what it prints with the last block of its page.
set -euo pipefail
program=$1
page=$(dirname "${BASH_SOURCE[0]}")/$(basename "$program").md
diff <(awk '/^```$/ { inside = !inside; if (inside) block = ""; next } inside { block = block $0 "\n" }
            END { printf "%s", block }' "$page") <("$program")
echo "as on its page"
