# Sourced by the tests of the command line: a scratch folder, and counted checks.
# Ends in a scratch folder, with the program's path in $lemmata.
set -u
lemmata=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
checks=0

check() { # description, then a command that must succeed
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" || { echo "FAILED: $what"; failures=$((failures + 1)); }
}
exits() { # code, command …: runs it with output in out and err
    local code=$1
    shift
    "$@" >out 2>err
    local got=$?
    [ "$got" -eq "$code" ] || { echo "  exit $got instead of $code: $*"; cat err; return 1; }
}
finish() {
    echo "$checks checks, $failures failures"
    [ "$failures" -eq 0 ]
}
