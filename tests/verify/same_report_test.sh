#!/usr/bin/env bash
# One run of all claims writes what their tests left piece by piece: neither the order of checks nor
# what ran before in the same process matters. Usage: same_report_test.sh LEMMATA REPORT
report=$(realpath "$2")
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

mkdir whole
[ -d "$report/figures" ] && cp -r "$report/figures" whole
check "all claims in one run agree with what was accepted" exits 0 "$lemmata" verify --tier quick --report whole
check "the ledger is the same, byte for byte" cmp whole/ledger.json "$report/ledger.json"
unstamped() { grep -v '^\(<p class="stamp">\)\?Written ' "$1"; }
for file in report.md index.html; do
    [ -e "whole/$file" ] || continue # no pandoc, no page
    check "so is $file, but for its stamp" cmp <(unstamped "whole/$file") <(unstamped "$report/$file")
done
finish
