// Draws charts in the places that the page has for them, and copies what a button says.
"use strict";

const charts = {
  known: {}, // by name, as the server sent them: light, dark, or a problem
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
  },

  drawOne(place, chart) {
    if (chart.problem) {
      Plotly.purge(place);
      charts.say(place, chart.problem);
      return;
    }
    if (!place.classList.contains("js-plotly-plot")) place.replaceChildren();
    const figure = structuredClone(chart[document.documentElement.dataset.theme]);
    figure.layout.uirevision = "kept"; // what was zoomed stays so when values come in
    place.style.height = figure.layout.height ? `${figure.layout.height}px` : "";
    Plotly.react(place, figure.data, figure.layout, charts.options);
  },

  say(place, sentence) {
    const text = document.createElement("p");
    text.className = "empty";
    text.textContent = sentence;
    place.replaceChildren(text);
    place.style.height = "";
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
