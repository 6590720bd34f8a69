#!/usr/bin/env bash
# The command line as scripts and people rely on it. Usage: cli_test.sh LEMMATA
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
one_line() { [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ]; }

cat >good.toml <<'TOML'
[model]
activation = "softmax-1"
tokens = 5
[prior]
kind = "gaussian"
strengths = [8, 2]
[state]
m = [[1.1, 0.6], [-1.0, 0.4]]
b = [0.2, 0.3]
TOML

check "loss runs" exits 0 "$lemmata" loss good.toml
check "loss is silent on standard error when that is no terminal" [ ! -s err ]
check "JSON of one thread" exits 0 "$lemmata" loss good.toml --method monte-carlo --gradient --json --jobs 1
cp out one.json
check "JSON of two threads" exits 0 "$lemmata" loss good.toml --method monte-carlo --gradient --json --jobs 2
check "one and two threads give the same bytes" cmp out one.json
check "other seeds give other numbers" exits 0 "$lemmata" loss good.toml --method monte-carlo --gradient --json --seed 2
check "seeds matter" sh -c '! cmp -s out one.json'
check "JSON has a schema" grep -q '"schema": 1' one.json

for mistake in 's/tokens = 5/tokens = 0/' 's/softmax-1/softmin/' 's/\[8, 2\]/[8, -2]/' 's/\[8, 2\]/[8, nan]/' \
    's/\[-1.0, 0.4\]/[-1.0]/' 's/b = .*/b = [1]/' 's/tokens = 5/tokens = 5\nheads = 2/' 's/m = .*/m = 3/' 's/m = .*//' \
    's/m = .*/m = []/' 's/\[prior\]/[prior/' 's/"gaussian"/"mixture"/'; do
    sed "$mistake" good.toml >bad.toml
    check "bad input is refused: $mistake" exits 2 "$lemmata" loss bad.toml --json
    check "… in one line that names the file: $mistake" sh -c 'grep -q bad.toml err' && check "… and nothing else" one_line
done
check "loss needs a state" sh -c "sed '/state/,\$d' good.toml >bad.toml"
check "loss needs a state" exits 2 "$lemmata" loss bad.toml
check "missing file" exits 2 "$lemmata" loss nowhere.toml
check "unknown option" exits 2 "$lemmata" loss good.toml --sampels 3
check "unknown method" exits 2 "$lemmata" loss good.toml --method guess
check "unknown command" exits 2 "$lemmata" lose good.toml
check "no samples" exits 2 "$lemmata" loss good.toml --samples 0
check "no threads" exits 2 "$lemmata" loss good.toml --jobs 0
for wrong in 'loss --seed -1' 'loss --tolerance nan' 'bayes --tolerance 1e-300' 'flow --until nan' 'flow --until -1' \
    'flow --step inf' 'sgd --tolerance nan' 'sgd --rate 0' 'sgd --dimension 1'; do
    check "numbers are refused: $wrong" exits 2 "$lemmata" ${wrong%% *} good.toml ${wrong#* }
    check "… in one line: $wrong" one_line && check "… of some length" [ "$(wc -c <err)" -lt 100 ]
done
for huge in 's/1.1/1e200/' 's/\[8, 2\]/[1e308, 2]/' 's/^b = .*/r = [[1e200, 0], [0, 1]]/' 's/0.2/1e308/'; do
    sed "$huge" good.toml >bad.toml
    check "numbers whose products overflow are refused: $huge" exits 2 "$lemmata" loss bad.toml
    check "… in one line that names the file: $huge" sh -c 'grep -q bad.toml err' && check "… and nothing else" one_line
    sed "$huge; s/1e[23]../1e100/" good.toml >bad.toml
    check "those that are not so large may be too wide: $huge" exits 3 "$lemmata" loss bad.toml
done
check "a scenario may come through a pipe" exits 0 sh -c "cat good.toml | '$lemmata' loss /dev/stdin"
check "not for ever" exits 2 "$lemmata" loss /dev/zero
check "a folder is no scenario" exits 2 "$lemmata" loss .
check "mutants are refuted" exits 0 "$lemmata" verify lemma-A.4/eq-34 --mutants --json
check "unknown claim" exits 2 "$lemmata" verify lemma-Z
check "full disk" sh -c "'$lemmata' loss good.toml >/dev/full 2>err; [ \$? -eq 3 ]"
check "bayes runs" exits 0 "$lemmata" bayes good.toml --json
check "bayes gives ten digits" grep -q '"value": 0.3931240872' out
check "bayes says how" grep -q '"method": "mellin"' out
check "bayes needs no state and no activation" sh -c "sed '/state/,\$d; /activation/d' good.toml >bare.toml"
check "bayes needs no state and no activation" exits 0 "$lemmata" bayes bare.toml
check "bayes at finite dimension" exits 0 "$lemmata" bayes bare.toml --dimension 20 --samples 200 --json
check "bayes at finite dimension, in JSON" grep -q '"finite_dimension"' out
for method in lattice sobol monte-carlo; do
    check "bayes by $method on one thread" exits 0 "$lemmata" bayes bare.toml --method $method --samples 2000 --json --jobs 1
    cp out one.json
    check "bayes by $method on two threads" exits 0 "$lemmata" bayes bare.toml --method $method --samples 2000 --json --jobs 2
    check "… gives the same bytes" cmp out one.json
done
check "bayes refuses a method that does not apply" exits 2 "$lemmata" bayes bare.toml --method radial
check "bayes cannot always reach what is asked" exits 3 "$lemmata" bayes bare.toml --method lattice --tolerance 1e-13

# Certified digits; a build without Arb says what to install.
sed 's/"gaussian"/"spike"/; s/strengths = .*/strength = 2/; s/tokens = 5/tokens = 2/; /state/,$d' good.toml >spike.toml
sed '/^m =/s/.*/m = [[1.1, 0.6], [0, 0], [0, 1], [1, 0], [1, 1]]/; /^b =/d' good.toml >five.toml
cat >tilted.toml <<'TOML'
[model]
tokens = 5
[prior]
kind = "mixture"
[[prior.component]]
weight = 1
mean = [0, 0]
covariance = [[1, 0.5], [0.5, 1]]
TOML
sed 's/softmax-1/bayes-softmax/; $a r = [[1, 0], [0, 1]]' good.toml >rough.toml
if "$lemmata" bayes --help | grep -q 'needs libflint-arb-dev'; then
    check "without Arb there are no certified digits" exits 3 "$lemmata" bayes spike.toml --certified
    check "… and that is said" grep -q 'install it (Debian: apt-get install libflint-arb-dev)' err
else
    check "a certified risk" exits 0 "$lemmata" bayes spike.toml --certified --digits 30 --json
    check "… of thirty digits: lower" grep -q '"lower": "0.224799754603336414855840250589' out
    check "… of thirty digits: upper" grep -q '"upper": "0.224799754603336414855840250589' out
    check "a certified loss" exits 0 "$lemmata" loss good.toml --certified --digits 6
    check "… as text" grep -q '>= 0.637911' out
    for wrong in "bayes tilted.toml" "loss five.toml" "loss rough.toml"; do
        check "refused: $wrong" exits 2 "$lemmata" $wrong --certified
        check "… in one line: $wrong" one_line
        check "… that names file and field: $wrong" grep -qE '(tilted.toml: prior|five.toml: state.m|rough.toml: state.r): ' err
    done
fi
for wrong in "--digits 0" "--digits 31" "--digits nan" "--digits 2.5" "--method sobol" "--samples 10"; do
    check "refused with --certified: $wrong" exits 2 "$lemmata" bayes spike.toml --certified $wrong
    check "… in one line: $wrong" one_line
    check "… that names the option: $wrong" grep -q -e "${wrong% *}" err
done
check "digits are those of an interval" exits 2 "$lemmata" bayes spike.toml --digits 5

check "constants in closed form" exits 0 "$lemmata" constants softmax --order 2 --tokens 5 --heads 4 --json
check "constants are exact" grep -q '"exact": "3/125"' out
check "constants on the line" exits 0 "$lemmata" constants softmax-1 --order 1 --exp-bias 1/3
check "constants for latex" exits 0 "$lemmata" constants bayes-softmax --order 2 --format latex
check "derivatives" exits 0 "$lemmata" derivatives softmax --order 2 --json
check "derivatives by pattern" grep -q '"pattern": "s(h, l; h l, h l)"' out
printf '[activation]\nname = "sigmoid"\nweight = "1/(1 + exp(-x))"\ndenominator = "1"\n' >sigmoid.toml
check "constants of a user's activation" exits 0 "$lemmata" constants sigmoid.toml --json
check "derivatives of a user's activation" exits 0 "$lemmata" derivatives sigmoid.toml --order 3
for mistake in 's/exp(-x)/exp(-y)/' 's/exp(-x))/exp(-x)/' 's/1 + exp/1 - exp/' 's/exp(-x)/launch(x)/' 's/denominator/divisor/'; do
    sed "$mistake" sigmoid.toml >bad.toml
    check "bad activation is refused: $mistake" exits 2 "$lemmata" constants bad.toml --json
    check "… in one line that names the file: $mistake" sh -c 'grep -q bad.toml err' && check "… and nothing else" one_line
done
for wrong in '--tokens 1' '--tokens 2.5' '--heads 0' '--exp-bias -1' '--exp-bias 1/0' '--order 5' '--var x' '--parameter T=1'; do
    check "constants refuse $wrong" exits 2 "$lemmata" constants softmax $wrong
    check "… in one line: $wrong" one_line
done
check "unknown activation" exits 2 "$lemmata" constants softmin
check "help" exits 0 "$lemmata" loss --help
check "help has examples" grep -q 'Examples' out
check "version" exits 0 "$lemmata" --version
check "claims" exits 0 "$lemmata" claims --json

export SOURCE_DATE_EPOCH=1700000000 # the time that reports tell, so that they can be compared
check "verify at quick tier agrees with what was accepted" exits 0 "$lemmata" verify lemma-A.4 --tier quick --report rep
for file in ledger.json timings.json report.md index.html; do check "report has $file" [ -s "rep/$file" ]; done
check "no temporary files remain" [ "$(ls rep | wc -l)" -eq 4 ]
check "the ledger does not depend on threads" exits 0 "$lemmata" verify lemma-A.4 --tier quick --json --jobs 1
check "… byte for byte" cmp out rep/ledger.json
for id in $("$lemmata" claims -q | grep '^lemma-A.4'); do
    check "a record of $id" exits 0 "$lemmata" verify "$id" --tier quick --record records
    check "… with numbers for CTest" grep -q '^<CTestMeasurement ' out
done
check "records make a report" exits 0 "$lemmata" report parts --records records --claims lemma-A.4
for file in ledger.json report.md index.html; do
    check "… byte for byte that of one run: $file" cmp "rep/$file" "parts/$file"
done
check "a report can be written again" exits 0 "$lemmata" report parts
check "… with the same bytes" cmp rep/index.html parts/index.html
check "without pandoc there is a report" exits 0 env PATH=/nowhere "$lemmata" report parts
check "… but no page, not even an old one" [ ! -e parts/index.html ]
check "… and that is said" grep -q 'pandoc is not installed' err
check "no ledger, no report" exits 2 "$lemmata" report nowhere
check "records must be there" exits 3 "$lemmata" report parts --records records
mkdir locked && touch locked/report && chmod a-w locked
check "a report needs a folder" exits 3 "$lemmata" verify lemma-A.4/eq-34 --tier quick --report locked/report
check "… and the error names the file" grep -q 'locked/report/ledger.json: cannot be written' err
printf '#!/bin/sh\nexit 5\n' >pandoc && chmod +x pandoc
cp -r rep half && echo old >half/index.html
check "pandoc may fail" exits 3 env PATH=".:$PATH" "$lemmata" report half
check "… and the old page is untouched" [ "$(cat half/index.html)" = old ]
check "… with nothing half-written" [ "$(ls half | wc -l)" -eq 4 ]
check "a disk may be full" exits 3 bash -c "trap '' XFSZ; ulimit -f 4; exec '$lemmata' report half"
check "… which is said" grep -q 'half/report.md: cannot be written' err
check "… with nothing half-written" [ "$(ls half | wc -l)" -eq 4 ]
printf '#!/bin/sh\necho half\ntouch begun\nsleep 20\n' >pandoc
PATH=".:$PATH" setsid "$lemmata" report half >out 2>err &
pid=$!
for _ in $(seq 600); do
    [ -e begun ] && break
    sleep 0.1
done
kill -INT -- -$pid
wait $pid
check "Ctrl-C while pandoc works ends with 130" [ $? -eq 130 ]
check "… and the old page is untouched" [ "$(cat half/index.html)" = old ]
rm pandoc
echo '"lemma-A.4/eq-33/along-b" = "proved"' >wrong.toml
check "a changed verdict is noticed" exits 1 "$lemmata" verify lemma-A.4/eq-33/along-b --tier quick --baseline wrong.toml
check "… and named" grep -q 'accepted was proved' err
check "a baseline that is not there is no baseline" exits 2 "$lemmata" verify lemma-A.4/eq-34 --tier quick --baseline nowhere.toml
check "… but can be begun" exits 0 "$lemmata" verify lemma-A.4/eq-34 --tier quick --baseline begun.toml --accept
check "… and is one then" exits 0 "$lemmata" verify lemma-A.4/eq-34 --tier quick --baseline begun.toml

"$lemmata" loss good.toml --method monte-carlo --samples 1000000000 >out 2>err &
pid=$!
sleep 0.5
kill -INT $pid
wait $pid
check "Ctrl-C ends with 130" [ $? -eq 130 ]

finish
