#!/usr/bin/env bash
# lemmata figure, as people use it. Usage: figure_test.sh LEMMATA
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
one_line() { [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ]; }

check "help with examples" exits 0 "$lemmata" figure --help
check "… shows one" grep -q 'lemmata figure 1 --tier quick' out
for bad in 0 21 -1 one 1.5; do
    check "no figure $bad" exits 2 "$lemmata" figure --out figures -- "$bad"
    check "… in one line" one_line
done
check "nothing was written" [ ! -e figures/fig1 ]
check "no such tier" exits 2 "$lemmata" figure 14 --tier slow --out figures
check "… in one line" one_line
echo >file
check "a folder that cannot be" exits 2 "$lemmata" figure 14 --tier quick --out file/figures
check "… in one line" one_line

check "a figure" exits 0 "$lemmata" figure 14 --tier quick --out one --json --jobs 1
check "… is one object" grep -q '"schema": 1' out
for ending in csv svg json; do check "… its $ending" [ -s "one/fig14/fig14.$ending" ]; done
check "… with statements" grep -q '"verdict": ' one/fig14/fig14.json
check "… its runs are kept" sh -c '[ "$(ls one/runs | wc -l)" -eq 18 ]'
check "the same elsewhere, on two threads" exits 0 "$lemmata" figure 14 --tier quick --out two --jobs 2
for ending in csv svg json; do check "… has the same $ending" cmp "one/fig14/fig14.$ending" "two/fig14/fig14.$ending"; done
check "another seed" exits 0 "$lemmata" figure 14 --tier quick --out two --seed 2 -q
check "… is silent if asked" [ ! -s out ]
check "… gives other data" sh -c '! cmp -s one/fig14/fig14.csv two/fig14/fig14.csv'

# Kept runs are used, and those that were lost are made again.
rm one/runs/*.run
"$lemmata" figure 14 --tier quick --out one -q
check "lost runs are made again" sh -c '[ "$(ls one/runs | wc -l)" -eq 18 ]'
stamp=$(stat -c %Y%i one/runs/*.run | sort | sha256sum)
check "the figure again" exits 0 "$lemmata" figure 14 --tier quick --out one
check "… from the runs that are there" [ "$(stat -c %Y%i one/runs/*.run | sort | sha256sum)" = "$stamp" ]

# One that cannot be made does not stop the others.
mkdir -p four/fig18/fig18.csv
check "a figure in whose way a folder stands, and another" exits 3 "$lemmata" figure 18 14 --tier quick --out four --json
check "… the first is named" grep -q 'figure 18: ' err
check "… in one line" [ "$(wc -l <err)" -eq 1 ]
check "… the other is there" [ -s four/fig14/fig14.json ]
check "… and told of" grep -q '"figure": 14' out
check "a number among others that is none" exits 2 "$lemmata" figure 14 21 --tier quick --out four

# Interrupted work ends with 130 and keeps what was finished.
rm -rf three
timeout --preserve-status -s INT 2 "$lemmata" figure 11 --tier full --out three >out 2>err
check "Ctrl-C" [ $? -eq 130 ]
check "… leaves no half figure" [ ! -e three/fig11/fig11.json ]
check "… nor half a run" sh -c '! ls three/runs | grep -q tmp'

finish
