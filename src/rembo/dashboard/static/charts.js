// Draws charts in the places that the page has for them, switches log axes, and copies what a button says.
"use strict";

const charts = {
  known: {}, // by name, as the server sent them: light, dark, or a problem
  log: new URLSearchParams(location.search).get("scale") === "log",
  options: { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"] },

  receive(received) {
    Object.assign(charts.known, received);
    charts.draw(Object.keys(received));
  },

  draw(names) {
    for (const name of names) {
      const place = document.querySelector(`[data-chart="${name}"]`);
      if (place) charts.drawOne(place, charts.known[name]);
    }
    charts.showSwitches();
  },

  drawOne(place, chart) {
    place.closest(".part").classList.toggle("without", Boolean(chart.problem));
    if (chart.problem) {
      Plotly.purge(place);
      charts.say(place, chart.problem);
      return;
    }
    if (!place.classList.contains("js-plotly-plot")) place.replaceChildren();
    const figure = structuredClone(chart[document.documentElement.dataset.theme]);
    const log = charts.log && charts.switchOf(place.dataset.chart) !== null;
    if (log) Object.assign(figure.layout.yaxis, { type: "log", nticks: 6, exponentformat: "power" });
    if (place.dataset.chart === "importance" && place.clientWidth < 480) charts.putNamesAbove(figure);
    figure.layout.uirevision = log ? "log" : "linear"; // what was zoomed stays so when values come in
    place.style.height = figure.layout.height ? `${figure.layout.height}px` : "";
    Plotly.react(place, figure.data, figure.layout, charts.options);
  },

  // A phone has no room for names beside the bars.
  putNamesAbove(figure) {
    const [{ y }] = figure.data;
    const place = { x: 0, xref: "paper", xanchor: "left", yshift: 18, showarrow: false, font: { size: 11 } };
    figure.data[0].width = y.map(() => 0.3);
    figure.layout.annotations = y.map((row) => ({ ...place, y: row, text: figure.layout.yaxis.ticktext[row] }));
    figure.layout.yaxis.showticklabels = false;
    Object.assign(figure.layout, { margin: { ...figure.layout.margin, l: 8 }, height: 160 + 48 * y.length });
  },

  say(place, sentence) {
    const text = document.createElement("p");
    text.className = "empty";
    text.textContent = sentence;
    place.replaceChildren(text);
    place.style.height = "";
  },

  // The button of a chart's log axis; there is none where a value is not above 0.
  switchOf(name) {
    return document.querySelector(`button[data-log="${name}"]`);
  },

  showSwitches() {
    for (const button of document.querySelectorAll("button[data-log]")) {
      button.setAttribute("aria-pressed", String(charts.log));
    }
  },

  toggleLog(name) {
    charts.log = !charts.log;
    if (charts.known[name]) charts.draw([name]);
    document.dispatchEvent(new Event("scale"));
  },
};

async function copyText(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch { // only pages from this machine or over TLS have a clipboard
    source.closest("details").open = true;
    getSelection().selectAllChildren(source);
    document.execCommand("copy");
  }
}

document.addEventListener("click", async (event) => {
  const scale = event.target.closest("button[data-log]");
  if (scale) charts.toggleLog(scale.dataset.log);
  const button = event.target.closest("button[data-copies]");
  if (!button) return;
  await copyText(document.getElementById(button.dataset.copies));
  const label = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = label; }, 1500);
});

document.addEventListener("theme", () => charts.draw(Object.keys(charts.known)));
document.addEventListener("DOMContentLoaded", () => {
  const stored = document.getElementById("charts"); // of a report
  if (stored) charts.receive(JSON.parse(stored.textContent));
});
