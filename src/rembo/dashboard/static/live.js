// Keeps a page of the server up to date: a stream says that files have changed, and what has is fetched again.
"use strict";

const live = {
  main: document.getElementById("main"),
  sign: document.getElementById("live"),
  busy: false,
  believing: false,
  early: null, // the charts that were asked for first
  latest: null, // the version that the server told of last
  shown: new Map(), // the HTML of each part that was exchanged

  start() {
    if (!live.main.dataset.version) return;
    if (live.main.dataset.study) live.showCharts(live.early);
    const file = new URLSearchParams(live.main.dataset.study ?? "").get("file");
    const stream = new EventSource(file === null ? "/events" : `/events?${new URLSearchParams({ file })}`);
    stream.addEventListener("open", () => live.show("live", true));
    stream.addEventListener("error", () => live.show("not connected", false));
    stream.addEventListener("version", (event) => {
      live.latest = event.data;
      live.refresh();
    });
    setInterval(live.renew, 60000); // for what is said of the time
    addEventListener("pagehide", () => stream.close());
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

  async renew() {
    const answer = await fetch(location.href).catch(() => null);
    if (!answer?.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
    if (!fresh) return;
    live.main.dataset.version = fresh.dataset.version;
    live.replace(fresh);
    if (live.main.dataset.study) await live.showCharts(live.fetchCharts());
  },

  // A part without a drawing is exchanged if it differs; of the others, only what stands beside the drawing.
  replace(fresh) {
    for (const part of fresh.querySelectorAll("#head, section, .beside")) {
      const old = document.getElementById(part.id);
      const html = part.outerHTML;
      if (!old || live.shown.get(part.id) === html || part.querySelector("[data-chart], #card")) continue;
      live.shown.set(part.id, html);
      live.exchange(old, part);
    }
  },

  exchange(old, part) {
    for (const details of old.querySelectorAll("details[open][id]")) {
      part.querySelector(`#${CSS.escape(details.id)}`)?.setAttribute("open", "");
    }
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    old.replaceWith(part);
    if (focused) document.getElementById(focused)?.focus();
  },

  fetchCharts() {
    return fetch(`/charts?${live.main.dataset.study}`).catch(() => null);
  },

  async showCharts(fetched) {
    const quick = await fetched;
    if (quick?.ok) charts.receive(await quick.json());
    live.fetchBelief();
  },

  async fetchBelief() {
    if (live.believing) return;
    live.believing = true;
    try {
      const answer = await fetch(`/belief?${live.main.dataset.study}`);
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
      for (const name of ["importance", "landscape", "calibration"]) charts.receive({ [name]: belief });
      return;
    }
    charts.receive(belief.charts);
    card.innerHTML = belief.card;
  },
};

// The server draws while the browser loads plotly.js, after which the page is ready to start.
if (live.main.dataset.study) live.early = live.fetchCharts();
document.addEventListener("DOMContentLoaded", live.start);
