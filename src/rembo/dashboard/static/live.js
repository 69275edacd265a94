// Keeps a page of the server up to date: a stream says that files have changed, and what has is fetched again. What a
// visitor asks for stands in the address: a field that is applied or a link within the page fetches its parts anew.
"use strict";

const live = {
  main: document.getElementById("main"),
  sign: document.getElementById("live"),
  busy: false,
  believing: false,
  early: null, // the charts that were asked for first
  latest: null, // the version that the server told of last
  search: location.search, // what the page that is shown was asked for
  shown: new Map(), // the HTML of each part that was exchanged

  start() {
    if (!live.main.dataset.events) return;
    if (live.main.dataset.charts) live.showCharts(live.early);
    const stream = new EventSource(live.main.dataset.events);
    stream.addEventListener("open", () => live.show("live", true));
    stream.addEventListener("error", () => live.show("not connected", false));
    stream.addEventListener("version", (event) => {
      live.latest = event.data;
      live.refresh();
    });
    setInterval(() => live.renew(), 60000); // for what is said of the time
    addEventListener("pagehide", () => stream.close());
    addEventListener("popstate", () => { if (location.search !== live.search) live.renew(false); });
  },

  show(word, connected) {
    live.sign.textContent = word;
    live.sign.classList.toggle("connected", connected);
  },

  async refresh() {
    if (live.busy || live.latest === live.main.dataset.version) return;
    live.busy = true;
    const began = performance.now();
    try {
      await live.renew();
    } finally {
      const pause = Math.max(1000, 5 * (performance.now() - began)); // a fast study must not keep the page busy
      setTimeout(() => { live.busy = false; live.refresh(); }, pause);
    }
  },

  // Fetches the page anew; what was typed and not applied is kept unless another page was asked for.
  async renew(keepsTyped = true) {
    live.search = location.search;
    const answer = await fetch(location.href).catch(() => null);
    if (!answer) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
    if (!fresh) return;
    if (!answer.ok) { // of a refresh that went wrong nothing is shown, of what a visitor asked for all
      if (!keepsTyped) live.main.replaceChildren(...fresh.childNodes);
      return;
    }
    const drawn = live.main.dataset.charts;
    Object.assign(live.main.dataset, fresh.dataset);
    live.replace(fresh, keepsTyped);
    charts.showSwitches();
    const same = !keepsTyped && drawn === live.main.dataset.charts; // only the table was asked for
    if (live.main.dataset.charts && !same) await live.showCharts(live.fetchCharts());
  },

  // A part without a drawing is exchanged if it differs; of the others, only what stands beside the drawing.
  replace(fresh, keepsTyped) {
    for (const part of fresh.querySelectorAll("#head, section, .beside")) {
      const old = document.getElementById(part.id);
      const html = part.outerHTML;
      const drawn = part.querySelector("[data-chart], #card") && old?.querySelector("[data-chart], #card");
      if (!old || live.shown.get(part.id) === html || drawn) continue;
      live.shown.set(part.id, html);
      live.exchange(old, part, keepsTyped);
    }
  },

  exchange(old, part, keepsTyped) {
    for (const details of old.querySelectorAll("details[open][id]")) {
      part.querySelector(`#${CSS.escape(details.id)}`)?.setAttribute("open", "");
    }
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    const caret = focused ? document.activeElement.selectionStart ?? null : null;
    const typed = keepsTyped ? live.typed(old) : [];
    const scrolled = old.querySelector(".scrolls")?.scrollLeft ?? 0;
    old.replaceWith(part);
    for (const [id, property, value] of typed) {
      const field = document.getElementById(id);
      if (field) field[property] = value;
    }
    const box = part.querySelector(".scrolls");
    if (box) box.scrollLeft = scrolled;
    const field = focused ? document.getElementById(focused) : null;
    field?.focus({ preventScroll: true });
    if (field && caret !== null) field.setSelectionRange?.(caret, caret);
  },

  // What a visitor has changed in the fields of a part and not applied yet.
  typed(part) {
    const boxes = [...part.querySelectorAll("input[type=checkbox][id]")].filter((box) => box.checked !== box.defaultChecked);
    const texts = [...part.querySelectorAll("input:not([type=checkbox])[id]")].filter((text) => text.value !== text.defaultValue);
    const lists = [...part.querySelectorAll("select[id]")].filter((list) => !list.selectedOptions[0]?.defaultSelected);
    return [
      ...boxes.map((box) => [box.id, "checked", box.checked]),
      ...[...texts, ...lists].map((field) => [field.id, "value", field.value]),
    ];
  },

  // Another address of the same page: its parts are fetched, and charts that are drawn stay where they are.
  async go(url) {
    if (charts.log) url.searchParams.set("scale", "log");
    history.pushState(null, "", url);
    await live.renew(false);
  },

  fetchCharts() {
    return fetch(live.main.dataset.charts).catch(() => null);
  },

  async showCharts(fetched) {
    const quick = await fetched;
    if (quick?.ok) charts.receive(await quick.json());
    if (live.main.dataset.belief) live.fetchBelief();
  },

  async fetchBelief() {
    if (live.believing) return;
    live.believing = true;
    try {
      const answer = await fetch(live.main.dataset.belief);
      if (answer.headers.get("content-type") === "application/json") live.showBelief(await answer.json());
    } catch { // the server has ended: the stream says so
    } finally {
      live.believing = false;
    }
  },

  showBelief(belief) {
    const card = document.getElementById("card");
    if (belief.problem) {
      charts.say(card, belief.problem);
      for (const name of ["importance", "parallel", "landscape", "calibration"]) charts.receive({ [name]: belief });
      return;
    }
    charts.receive(belief.charts);
    card.innerHTML = belief.card;
  },
};

// Fields of the one form, if its page is the one that is shown: the address gets those that say something.
document.addEventListener("submit", (event) => {
  const url = new URL(event.target.action);
  if (event.target.id !== "view" || url.pathname !== location.pathname) return;
  event.preventDefault();
  for (const [name, value] of new FormData(event.target)) {
    if (value !== "") url.searchParams.append(name, value);
  }
  live.go(url);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("#trials thead a, #trials .controls a, #trials .pager a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  live.go(new URL(link.href));
});

document.addEventListener("scale", () => {
  const url = new URL(location.href);
  if (charts.log) url.searchParams.set("scale", "log");
  else url.searchParams.delete("scale");
  history.replaceState(null, "", url);
});

// The server draws while the browser loads plotly.js, after which the page is ready to start.
if (live.main.dataset.charts) live.early = live.fetchCharts();
document.addEventListener("DOMContentLoaded", live.start);
