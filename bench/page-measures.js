/* Runs in each page of a bench, before its own scripts. It measures the page, in milliseconds. */

const measured = { lcp: 0, cls: 0, clicks: [] };
globalThis.measured = measured;

on('largest-contentful-paint', ({ startTime }) => {
  measured.lcp = startTime;
});
on('layout-shift', ({ value, hadRecentInput }) => {
  if (!hadRecentInput) measured.cls += value;
});
on('event', ({ duration, interactionId }) => {
  if (interactionId > 0) measured.clicks.push(duration);
});

function on(type, take) {
  const observer = new PerformanceObserver((list) => list.getEntries().forEach((entry) => take(entry)));
  observer.observe({ type, buffered: true, durationThreshold: 16 });
}

/**
 * Begins to measure the next input: until all rows have a text, without the duration of the page's request to the API. The result is in
 * `globalThis.taken`.
 */
globalThis.beginTiming = ({ path, rows }) => {
  performance.clearResourceTimings();
  let begunMs = Infinity;
  const begin = ({ timeStamp }) => {
    begunMs = Math.min(begunMs, timeStamp);
  };
  for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, begin, { capture: true });
  globalThis.taken = new Promise((resolve) => {
    const look = () => {
      const shown = [...document.querySelectorAll('main tbody tr')];
      const isShown = shown.length > 0 && shown.every(({ textContent }) => textContent.includes(rows));
      const asked = performance
        .getEntriesByType('resource')
        .find(({ name }) => name.includes(`${path}?`) && name.includes('limit=25'));
      if (isShown && asked !== undefined) resolve(performance.now() - begunMs - asked.duration);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
};
