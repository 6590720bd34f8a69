#!/usr/bin/env bash
# `lemmata sweep` as scripts rely on it: resuming after kill -9, the same bytes whatever computes them.
# Usage: sweep_test.sh LEMMATA [MPIEXEC]
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
mpiexec=${2:-}

cat >sweep.toml <<'TOML'
[model]
activation = "softmax"
tokens = 4
[prior]
kind = "flipping-spike"
strengths = [2, 2]
[flow]
heads = 2
[sweep]
compute = ["limit", "learning", "bayes"]
[[sweep.axis]]
key = "prior.strengths[0]"
values = [0.5, 2, -1]
[[sweep.axis]]
key = "prior.strengths[1]"
from = 0.5
to = 8
count = 3
spacing = "logarithmic"
[[sweep.axis]]
key = "flow.seed"
values = [1, 2]
TOML

check "a sweep runs" exits 0 "$lemmata" sweep sweep.toml --out whole
check "it has a row for each point" [ "$(wc -l <whole/sweep.csv)" -eq 19 ]
check "it counts what failed" grep -q '^18 points, 6 failed' out
check "failures say why" [ "$(grep -c 'strengths' whole/sweep.csv)" -eq 7 ]
check "the table is what is printed without --out" exits 0 "$lemmata" sweep sweep.toml --jobs 1
check "one thread gives the same bytes" cmp out whole/sweep.csv
check "JSON" exits 0 "$lemmata" sweep sweep.toml --out whole --json
check "JSON is in the folder too" cmp out whole/sweep.json
check "a finished sweep is not computed again" grep -q '18 of 18 points are in whole already' err

for lines in 2 5 10; do # killed three times, each when that many lines are in the journal
    "$lemmata" sweep sweep.toml --out killed >/dev/null 2>&1 &
    process=$!
    for _ in $(seq 2000); do
        [ -e killed/journal.jsonl ] && [ "$(wc -l <killed/journal.jsonl)" -ge "$lines" ] && break
        sleep 0.01
    done
    kill -KILL "$process" 2>/dev/null
    wait "$process" 2>/dev/null
done
check "a killed sweep left no table" [ ! -e killed/sweep.csv ]
check "a killed sweep goes on" exits 0 "$lemmata" sweep sweep.toml --out killed
check "it computed only what was missing" grep -q 'points are in killed already' err
check "each point once" [ "$(sort -u killed/journal.jsonl | wc -l)" -eq "$(wc -l <killed/journal.jsonl)" ]
check "a killed sweep ends with the same table" cmp whole/sweep.csv killed/sweep.csv
check "a killed sweep ends with the same JSON" cmp whole/sweep.json killed/sweep.json

sed 's/tokens = 4/tokens = 5/' sweep.toml >other.toml
check "another sweep is not mixed in" exits 2 "$lemmata" sweep other.toml --out whole
sed 's/values = \[1, 2\]/values = [1, 2, 3]/' sweep.toml >more.toml
check "it says so" grep -q 'a journal of another sweep' err
check "more points of the same sweep are" exits 0 "$lemmata" sweep more.toml --out whole
check "more points of the same sweep are" grep -q '18 of 27 points are in whole already' err
check "a full disk is an error" exits 3 "$lemmata" sweep sweep.toml --out /dev/full/x
check "no [sweep]" sh -c "sed '/^.sweep/,\$d' sweep.toml >bad.toml"
check "no [sweep]" exits 2 "$lemmata" sweep bad.toml --out bad
check "nothing is written then" [ ! -e bad ]
sed 's/^values = \[1, 2\]/&\nspacing = "linear"/' sweep.toml >bad.toml
check "spacing with values" exits 2 "$lemmata" sweep bad.toml --out bad
check "spacing with values" grep -q 'given with from, to, count or spacing' err
sed '/^.sweep/,$d' sweep.toml >bad.toml

if [ -n "$mpiexec" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    rm -rf whole
    check "a sweep runs" exits 0 "$lemmata" sweep sweep.toml --out whole
    check "four ranks" exits 0 "$mpiexec" -n 4 "$lemmata" sweep sweep.toml --out ranks
    check "four ranks give the same table" cmp whole/sweep.csv ranks/sweep.csv
    check "four ranks give the same JSON" cmp whole/sweep.json ranks/sweep.json
    check "one rank computes alone" exits 0 "$mpiexec" -n 1 "$lemmata" sweep sweep.toml --out one
    check "one rank gives the same table" cmp whole/sweep.csv one/sweep.csv
    check "bad input ends all ranks" exits 2 "$mpiexec" -n 4 "$lemmata" sweep bad.toml --out bad
    check "an error on rank 0 ends all ranks" exits 2 "$mpiexec" -n 4 "$lemmata" sweep other.toml --out whole
    check "and says why" grep -q 'lemmata: .*a journal of another sweep' err
    "$mpiexec" -n 4 "$lemmata" sweep sweep.toml --out lost >/dev/null 2>&1 &
    process=$!
    for _ in $(seq 2000); do
        [ -e lost/journal.jsonl ] && [ "$(wc -l <lost/journal.jsonl)" -ge 5 ] && break
        sleep 0.01
    done
    # The youngest process below mpiexec is one of the ranks.
    kill -KILL "$(pgrep -P "$process" | tail -1)" 2>/dev/null
    wait "$process" 2>/dev/null
    check "a lost rank loses no finished point" [ "$(wc -l <lost/journal.jsonl)" -ge 5 ]
    check "and the rest is computed afterwards" exits 0 "$lemmata" sweep sweep.toml --out lost
    check "to the same table" cmp whole/sweep.csv lost/sweep.csv
fi
finish
