#!/usr/bin/env bash
# index.html in a real browser, where one is installed. Usage: page_test.sh LEMMATA
# Exit code 77 (skipped) without Chromium. Each thing looked for is also planted, and must be seen.
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "SKIPPED: no chromium is installed; the report was not opened in a browser"
    exit 77
}

open_page() { # file: the page as the browser sees it, in dom; its complaints, in console
    "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$work/profile" --enable-logging=stderr \
        --window-size=1400,900 --virtual-time-budget=5000 --dump-dom "file://$work/$1" >dom 2>log
    grep 'CONSOLE' log >console
    [ -s dom ]
}
# What there is to be seen, written into the page by a script of ours at its end: first as it opens,
# then at other fragments, then with everything open.
probe='<script>(async () => {
  const all = [...document.querySelectorAll("details.claim")], root = document.documentElement, notes = [""];
  const note = (what, value) => notes.push(what + " " + value);
  const shown = () => all.filter((c) => c.checkVisibility()).map((c) => c.id).sort();
  note("width", innerWidth);
  note("claims", all.length);
  note("maths", document.querySelectorAll("math").length);
  note("first", shown());
  note("wide", root.scrollWidth > innerWidth);
  note("drawn", [...document.images].every((i) => i.complete && i.naturalWidth > 0) + " " + document.images.length);
  note("unnamed", [...document.images].filter((i) => !i.alt).length);
  for (const hash of ["#section=lemma-A.4&text=attractive", "#text=xyzzy", "#lemma-A.4/eq-33"]) {
    await new Promise((resolve) => { addEventListener("hashchange", resolve, {once: true}); location.hash = hash; });
    note(hash, shown());
  }
  note("open", all.filter((c) => c.open).map((c) => c.id));
  for (const claim of all) claim.open = true;
  note("wide-open", root.scrollWidth > innerWidth);
  parent.postMessage(notes.join("\n") + "\n", "*");
})()</script>'
# A frame, because a browser's window cannot be as narrow as a telephone.
probed() { # file, fragment, width: opens a copy with the probe in it
    sed '/<\/body>/d; /<\/html>/d' "$1" >probed.html
    printf '%s</body></html>\n' "$probe" >>probed.html
    printf '<!DOCTYPE html><iframe src="probed.html%s" width="%s" height="800" style="border: 0"></iframe><pre></pre><script>
addEventListener("message", (event) => { document.querySelector("pre").textContent = event.data; });</script>' "$2" "$3" >frame.html
    open_page frame.html
}
says() { # what, value
    local seen
    seen=$(grep -m1 "^$1 " dom | cut -d' ' -f2- | sed 's/&amp;/\&/g')
    [ "$seen" = "$2" ] || { echo "  $1: ${seen:0:300} instead of ${2:0:300}"; return 1; }
}

export SOURCE_DATE_EPOCH=1700000000
check "a report" exits 0 "$lemmata" verify lemma-A.2 lemma-A.4 prop-IV.2 --tier quick --report rep
mkdir -p rep/figures/fig1
echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="40" height="20"><path d="M0 0L40 20" stroke="red"/></svg>' \
    >rep/figures/fig1/fig1.svg
echo '{"figure": 1, "title": "Loss & <overlaps>", "choices": {"seed": 1}, "statements": [{"text": "$\\tau_s$ is 10",
"measured": 9.5, "expected": 10, "uncertainty": 1, "verdict": "supported"}]}' >rep/figures/fig1/fig1.json
check "the report again, with a figure" exits 0 "$lemmata" report rep
page=rep/index.html
"$lemmata" report rep --json >ledger 2>err
ids=$(grep -o '^      "id": "[^"]*"' ledger | cut -d'"' -f4)
refuted=$(tr -d '\n' <ledger | grep -oE '"id": "[^"]*"|"printed": \{ *"verdict": "[a-z]*"' | paste - - |
    grep '"refuted"' | cut -d'"' -f4 | LC_ALL=C sort | paste -sd,)

sorted=$(echo "$ids" | LC_ALL=C sort | paste -sd,)

check "the page needs no other file" sh -c "! grep -nE '(src|href)=\"(https?:)?//[^\"]*\.(js|css|woff2?)|@import|url\(' $page"
check "no formula was beyond pandoc" sh -c "! grep -n 'class=\"math' $page"
check "the time is the stamp's" grep -q '^Written 2023-11-14 22:13 UTC.$' $page
cp $page before.html
check "at another time" exits 0 env SOURCE_DATE_EPOCH=1800000000 "$lemmata" report rep
check "… one line is another" [ "$(diff before.html $page | grep -c '^[<>]')" -eq 2 ]

check "it opens at the refuted claims" probed $page "#verdict=refuted" 1280
check "… without complaint" [ ! -s console ]
check "… with every claim" says claims "$(echo "$ids" | wc -l)"
for id in $ids; do grep -q "<details class=\"claim\" id=\"$id\"" $page || check "… with $id" false; done
check "… and shows those refuted" says first "$refuted"
check "… mathematics as such" [ "$(grep -m1 '^maths ' dom | cut -d' ' -f2)" -gt 100 ]
check "… its picture drawn" says drawn "true 1"
check "… and described" says unnamed 0
check "a part of the paper and a word choose" says "#section=lemma-A.4&amp;text=attractive" lemma-A.4/attractive
check "nonsense matches nothing" says "#text=xyzzy" ""
check "a link to a claim shows all again" says "#lemma-A.4/eq-33" "$sorted"
check "… and opens that one" says open lemma-A.4/eq-33
check "on a telephone" probed $page "" 390
check "… that wide" says width 390
check "… all claims are shown" says first "$sorted"
check "… nothing sticks out" says wide false
check "… not when everything is open" says wide-open false
sed '/^<script>/,/^<\/script>/d' $page >unscripted.html
check "without its script" probed unscripted.html "#verdict=refuted" 1280
check "… every claim is shown" says first "$sorted"

# Mistakes that the checks above must notice.
sed 's/"use strict";/"use strict"; undefinedName();/; s/<main>/<main><div style="width: 900px">.<\/div>/
    s/svg+xml;base64,/svg+xml;base64,AAAA/' $page >mistakes.html
check "a page with mistakes" probed mistakes.html "#verdict=refuted" 390
check "… a script that fails is noticed" [ -s console ]
check "… so is what it does not do" says first "$sorted"
check "… a page too wide is noticed" says wide true
check "… a picture not drawn is noticed" says drawn "false 1"

finish
