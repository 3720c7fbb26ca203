/* Looks again every 20 seconds whether there is something to rate, as long as the page is open and seen. */
"use strict";
(() => {
  const EVERY = 20000;
  const look = async () => {
    if (document.hidden) return; // nothing is held for somebody who is not there
    try {
      const response = await fetch("/rate", { credentials: "same-origin", cache: "no-store" });
      if (!response.ok) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!("waiting" in page.body.dataset)) location.replace("/rate");
    } catch { /* the next time */ }
  };
  for (const told of document.querySelectorAll(".looks")) told.hidden = false;
  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
})();
