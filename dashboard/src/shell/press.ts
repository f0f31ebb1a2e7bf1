/* Data that arrives during a press must not move the control from under the pointer. The press would be lost. */

/** A press that takes longer, such as a selection of text, holds nothing back any more. In milliseconds. */
const longestMs = 10_000;

/** After the release of a finger, browsers send its click a moment later. In milliseconds. */
const settleMs = 50;

let isPressed = false;
let isReleased = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let held: (() => void)[] = [];

/** Shows something now, or after the press if the person presses the mouse or the screen. The order stays. */
export function showAfterPress(show: () => void): void {
  if (isPressed || held.length > 0) held.push(show);
  else show();
}

function begin(): void {
  isPressed = true;
  isReleased = false;
  clearTimeout(timer);
  timer = setTimeout(end, longestMs);
}

function release(): void {
  // A pointer that moves on after the release must not delay the end.
  if (!isPressed || isReleased) return;
  isReleased = true;
  clearTimeout(timer);
  timer = setTimeout(end, settleMs);
}

function end(): void {
  isPressed = false;
  const due = held;
  held = [];
  for (const show of due) show();
}

addEventListener('pointerdown', begin, { capture: true });
for (const type of ['pointerup', 'pointercancel']) addEventListener(type, release, { capture: true });
// The menu of a `<select>` takes the release.
addEventListener('pointermove', ({ buttons }) => buttons === 0 && release(), { capture: true });
