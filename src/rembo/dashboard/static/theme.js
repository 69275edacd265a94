// The theme, light or dark: that of the system until the switch is used, whose choice the browser remembers.
// This script runs before the page is drawn, lest it appear in the wrong colours first.
"use strict";

const theme = {
  key: "rembo-theme",
  system: window.matchMedia("(prefers-color-scheme: dark)"),

  chosen() {
    try {
      return localStorage.getItem(theme.key);
    } catch {
      return null; // a browser that forbids storage has the system's theme
    }
  },

  current() {
    return theme.chosen() ?? (theme.system.matches ? "dark" : "light");
  },

  apply() {
    document.documentElement.dataset.theme = theme.current();
    document.dispatchEvent(new Event("theme"));
  },

  toggle() {
    const other = theme.current() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(theme.key, other);
    } catch {
      document.documentElement.dataset.theme = other;
    }
    theme.apply();
  },
};

theme.apply();
theme.system.addEventListener("change", theme.apply);
document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("theme").addEventListener("click", theme.toggle);
});
