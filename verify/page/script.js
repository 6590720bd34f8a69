// Filter and search. The address carries the choice, so that it can be sent to someone:
//   #verdict=refuted&section=lemma-A.5&text=softmax
// Without this script everything is there, unfiltered.
"use strict";
(() => {
  const claims = [...document.querySelectorAll("details.claim")];
  const results = [...document.querySelectorAll("section.result")];
  const words = new Map();  // of a claim, for the search; TeX included, for MathML carries it
  const wordsOf = (claim) => {
    if (!words.has(claim)) words.set(claim, claim.textContent.toLowerCase());
    return words.get(claim);
  };

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const buttons = [...document.querySelectorAll(".tally li")].map((item) => {
    const verdict = item.className;
    const button = make("button", { type: "button", value: verdict }, item.querySelector(".word").textContent);
    button.hidden = !claims.some((claim) => claim.dataset.verdict === verdict);
    button.addEventListener("click", () => choose({ verdict: state.verdict === verdict ? "" : verdict }));
    return button;
  });
  const section = make("select", { ariaLabel: "Part of the paper" }, make("option", { value: "" }, "all parts"),
    ...results.map((result) => make("option", { value: result.dataset.section }, result.querySelector("h3").firstChild.data.trim())));
  const text = make("input", { type: "search", placeholder: "search statements and evidence ( / )", ariaLabel: "Search" });
  const all = make("button", { type: "button" }, "open all");
  const count = make("output", { ariaLive: "polite" });
  section.addEventListener("change", () => choose({ section: section.value }));
  text.addEventListener("input", () => choose({ text: text.value }));
  all.addEventListener("click", () => {
    const shown = claims.filter((claim) => !claim.hidden);
    const open = shown.some((claim) => !claim.open);
    for (const claim of shown) claim.open = open;
    all.textContent = open ? "close all" : "open all";
  });
  document.getElementById("filter").append(...buttons, section, text, all, count);

  let state = { verdict: "", section: "", text: "" };
  const show = () => {
    const wanted = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const claim of claims)
      claim.hidden = (state.verdict !== "" && claim.dataset.verdict !== state.verdict) ||
        (state.section !== "" && claim.dataset.section !== state.section) ||
        !wanted.every((word) => wordsOf(claim).includes(word));
    for (const result of results) result.hidden = !result.querySelector("details.claim:not([hidden])");
    for (const button of buttons) button.ariaPressed = String(button.value === state.verdict);
    section.value = state.section;
    if (text.value !== state.text) text.value = state.text;
    const visible = claims.filter((claim) => !claim.hidden).length;
    count.textContent = visible === claims.length ? `${claims.length} claims` : `${visible} of ${claims.length} claims`;
  };
  const choose = (change) => {
    state = { ...state, ...change };
    const chosen = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== ""));
    history.replaceState(null, "", chosen.size ? `#${chosen}` : "#claims");
    show();
  };

  const follow = () => {
    const target = decodeURIComponent(location.hash.slice(1));
    if (/^(verdict|section|text)=/.test(target)) {
      const asked = new URLSearchParams(location.hash.slice(1));
      state = Object.fromEntries(Object.keys(state).map((key) => [key, asked.get(key) ?? ""]));
      show();
      document.getElementById("claims").scrollIntoView();
      return;
    }
    show();
    const claim = document.getElementById(target);
    if (claim?.matches("details.claim")) {
      if (claim.hidden) choose({ verdict: "", section: "", text: "" });
      claim.open = true;
      claim.scrollIntoView();
    }
  };
  addEventListener("hashchange", follow);
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    text.focus();
  });
  for (const link of document.querySelectorAll("nav a"))
    link.classList.toggle("absent", !document.getElementById(link.hash.slice(1)));
  follow();
})();
