"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

// --- Tabs --------------------------------------------------------------------------

const tabs = [...document.querySelectorAll("[role=tab]")];

function panelOf(tab) {
  return document.getElementById(tab.getAttribute("aria-controls"));
}

function show(chosen) {
  for (const tab of tabs) {
    tab.setAttribute("aria-selected", tab === chosen);
    tab.tabIndex = tab === chosen ? 0 : -1;
    panelOf(tab).hidden = tab !== chosen;
  }
  const code = panelOf(chosen).querySelector(".code");
  if (code && !code.dataset.colored) color(code);
}

for (const [place, tab] of tabs.entries()) {
  tab.addEventListener("click", () => show(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const next = tabs[(place + step + tabs.length) % tabs.length];
    show(next);
    next.focus();
  });
}

// --- The expression, in pieces that can be marked ----------------------------------

const heading = document.getElementById("expression");
const expression = heading.textContent;
const ends = new Set([0, expression.length]);
for (const { spans } of data.origins) spans.flat().forEach((end) => ends.add(end));
const sorted = [...ends].sort((a, b) => a - b);
const pieces = sorted.slice(0, -1).map((begin, n) => {
  const piece = document.createElement("span");
  piece.textContent = expression.slice(begin, sorted[n + 1]);
  return { begin, piece };
});
heading.replaceChildren(...pieces.map(({ piece }) => piece));

// Marks what an origin stands for; nothing, if there is none.
function mark(origin) {
  const spans = origin ? origin.spans : [];
  for (const { begin, piece } of pieces) {
    const isIn = spans.some(([from, to]) => from <= begin && begin < to);
    piece.classList.toggle("marked", isIn);
  }
}

// --- Code --------------------------------------------------------------------------

const languages = {
  mlir: [
    ["comment", /\/\/.*/],
    ["text", /"(?:[^"\\]|\\.)*"/],
    ["value", /%[\w$.#-]+/],
    ["symbol", /@[\w$.-]+/],
    ["op", /(?<![!#])\b[a-z]\w*(?:\.\w+)+/],
    ["type", /[!#][\w$.]+|\b(?:tensor|memref|vector|index|[fi]\d+)\b/],
    ["number", /\b(?:0x[\da-fA-F]+|\d[\d.]*(?:e[+-]?\d+)?)\b/],
  ],
  asm: [
    ["comment", /#.*/],
    ["text", /"(?:[^"\\]|\\.)*"/],
    ["symbol", /^[\w$.@]+(?=:)/],
    ["type", /^\s*\.\w+/],
    ["op", /^\s+[a-z]\w*/],
    ["value", /%\w+/],
    ["number", /\$-?\w+|-?\b\d\w*\b/],
  ],
};

// Appends the tokens of a line, each in a span of its class.
function colorLine(target, line, language) {
  const source = language.map(([, token]) => `(${token.source})`).join("|");
  const tokens = new RegExp(source, "g");
  let end = 0;
  for (const found of line.matchAll(tokens)) {
    target.append(line.slice(end, found.index));
    const span = document.createElement("span");
    span.className = language[found.slice(1).findIndex((group) => group)][0];
    span.textContent = found[0];
    target.append(span);
    end = found.index + found[0].length;
  }
  target.append(line.slice(end));
}

function color(code) {
  const language = languages[code.dataset.language];
  const lines = data.lines[code.dataset.stage];
  const texts = code.textContent.replace(/\n$/, "").split("\n");
  const made = texts.map((text, number) => {
    const line = document.createElement("span");
    line.className = "line";
    const origin = lines && data.origins[lines[number]];
    if (lines) {
      const from = document.createElement("span");
      from.className = "from";
      from.textContent = from.title = origin ? origin.text : "";
      line.append(from);
      line.addEventListener("mouseenter", () => mark(origin));
      line.addEventListener("mouseleave", () => mark());
    }
    colorLine(line, text, language);
    return line;
  });
  code.replaceChildren(...made);
  code.dataset.colored = true;
}

// --- The slider --------------------------------------------------------------------

const slider = document.getElementById("slider");

function cut() {
  const parts = String(data.parts[slider.value]);
  document.getElementById("count").textContent = parts;
  for (const each of document.querySelectorAll(".parts"))
    each.style.display = each.dataset.parts === parts ? "" : "none";
}

slider.addEventListener("input", cut);
cut();
show(tabs[0]);
