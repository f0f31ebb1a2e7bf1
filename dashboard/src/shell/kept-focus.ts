/**
 * Gives the focus to a near part of the page when its element is gone, hidden or disabled. Browsers then move it to the body.
 * Users of the keyboard would begin at the top of the page again.
 */
export function keepFocus(): void {
  let held: HeldFocus | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target !== held?.standIn) held = holdFocus(target, held);
  });
  // A click beside all controls takes the focus from an element that could keep it. That is what the person wants.
  const leave = ({ target }: Event): void => {
    if (target instanceof Node && !held?.element.contains(target)) held = null;
  };
  document.addEventListener('pointerdown', leave, { capture: true });
  const look = (): void => {
    timer = undefined;
    if (held !== null) returnFocus(held);
  };
  new MutationObserver(() => {
    timer ??= setTimeout(look, waitMs);
  }).observe(document.documentElement, { childList: true, subtree: true, attributes: true });
}

/** Parts that close or load move the focus themselves. After this time, in milliseconds, none of them will. */
const waitMs = 300;

interface HeldFocus {
  /** The last element that a person or a part of the page has focused. */
  element: HTMLElement;
  /** The parts around it, the nearest first. An element that is gone has none any more. */
  parts: readonly HTMLElement[];
  /** Whether the browser showed the focus, as it does for the keyboard. */
  isVisible: boolean;
  /** The part that has the focus in place of the element. */
  standIn: HTMLElement | null;
}

function holdFocus(element: HTMLElement, before: HeldFocus | null): HeldFocus {
  const parts = partsAround(element);
  const isVisible = element.matches(':focus-visible');
  if (before === null || !parts.some(isDialog)) return { element, parts, isVisible, standIn: null };
  // A dialog stands elsewhere in the document. When it closes, the parts around its button are the near ones.
  const parted = before.parts.some(isDialog)
    ? before.parts.filter((part) => !parts.includes(part))
    : [before.element, ...before.parts];
  return { element, parts: [...parts, ...parted], isVisible, standIn: null };
}

/** Returns the parts around an element that can have the focus in its place, the nearest first. */
function partsAround(element: HTMLElement): HTMLElement[] {
  const part = element.parentElement?.closest<HTMLElement>(`section, ${dialogs}`);
  return part ? [part, ...partsAround(part)] : [];
}

const dialogs = '[role=dialog], [role=alertdialog]';

function isDialog(element: HTMLElement): boolean {
  return element.matches(dialogs);
}

function returnFocus(held: HeldFocus): void {
  const { activeElement: active } = document;
  if (active !== document.body && active !== null && active !== held.standIn) return;
  // A button is disabled while its request runs, and then has the focus again.
  const target = [held.element, held.standIn].find((each) => each !== null && canHoldFocus(each)) ?? standInOf(held);
  if (!target || target === active) return;
  if (target !== held.element) held.standIn = target;
  if (!target.matches('a, button, input, [tabindex]')) target.tabIndex = -1;
  // Users of a mouse keep the place of the page.
  target.focus({ preventScroll: !held.isVisible });
}

/** Returns the nearest part that is still there, or the title of the page, or the page. */
function standInOf({ parts }: HeldFocus): HTMLElement | null {
  return (
    parts.find(canHoldFocus) ??
    document.querySelector<HTMLElement>('main h1') ??
    document.querySelector<HTMLElement>('main')
  );
}

function canHoldFocus(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility({ visibilityProperty: true });
}
