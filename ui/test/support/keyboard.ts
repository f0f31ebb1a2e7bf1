import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A key that a person without a mouse presses. Texts are typed. */
type Key = 'Tab' | 'Shift+Tab' | 'Enter' | 'Space' | 'Escape' | `Arrow${'Up' | 'Down' | 'Left' | 'Right'}`;

/** More presses reach no control of any page. */
const pressesMax = 150;

/**
 * Uses a page by its keyboard alone. After each key, an element must have the focus. An outline must show which one, and no other part may
 * be over it.
 */
export class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses a key. Fails unless the person then sees where the focus is. */
  async press(key: Key): Promise<void> {
    await this.page.keyboard.press(key);
    await this.expectSeen();
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    await this.expectSeen();
  }

  /** Presses Tab until an element has the focus. */
  async tabTo(element: Locator): Promise<void> {
    await this.#moveTo(element, 'Tab');
  }

  async tabBackTo(element: Locator): Promise<void> {
    await this.#moveTo(element, 'Shift+Tab');
  }

  /** Goes to an element by Tab, and presses Enter. */
  async use(element: Locator): Promise<void> {
    await this.tabTo(element);
    await this.press('Enter');
  }

  async #moveTo(element: Locator, key: 'Tab' | 'Shift+Tab'): Promise<void> {
    await element.waitFor();
    for (let presses = 0; presses < pressesMax; presses++) {
      if (await element.evaluate((node) => node === document.activeElement)) return;
      await this.press(key);
    }
    throw new Error(`${pressesMax} presses of ${key} did not reach ${String(element)}.`);
  }

  /** Waits until an element has the focus, and fails unless the person sees it. */
  async expectSeen(): Promise<void> {
    await expectSeenFocus(this.page);
  }
}

async function expectSeenFocus(page: Page): Promise<void> {
  // A part that closes gives the focus back a moment later.
  await expect.poll(() => page.evaluate(hiddenFocus)).toBeNull();
}

/** Runs in the page. Returns why the person does not see the focus, or null. */
function hiddenFocus(): string | null {
  const { activeElement: active } = document;
  if (active === null || active === document.body) return 'The body has the focus.';
  // A list beside its field has a focus of its own, which the field names.
  const named = document.getElementById(active.getAttribute('aria-activedescendant') ?? '');
  // A checkbox is hidden, and its label shows the focus. A field shows it around its box.
  const label = active.matches('input[type=checkbox], [role=switch]') ? active.closest('label') : null;
  const shown = named ?? label ?? active;
  const around = active.matches('input, textarea') ? [active.parentElement!] : [];
  const carriers = [shown, ...around, ...(label?.querySelectorAll('*') ?? [])];
  const told = active.outerHTML.slice(0, 200);
  if (!carriers.some(hasOutline)) return `No outline shows the focus: ${told}`;
  const box = shown.getBoundingClientRect();
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
  const [upper, lower] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
  if (right - left < 4 || lower - upper < 4) return `The focus is out of the window: ${told}`;
  const places = [left + 3, (left + right) / 2, right - 3].flatMap((x) =>
    [upper + 3, (upper + lower) / 2, lower - 3].map((y) => [x, y] as const),
  );
  const over = places.map(([x, y]) => document.elementFromPoint(x, y)).find((top) => top !== null && isOver(top));
  return over ? `Something is over the focus: ${told} ${over.outerHTML.slice(0, 200)}` : null;

  /** A part that stays in the window, such as a message, can be over anything. */
  function isOver(top: Element | null): boolean {
    if (top === null || top.contains(shown)) return false;
    return getComputedStyle(top).position === 'fixed' || isOver(top.parentElement);
  }

  // oxlint-disable-next-line unicorn/consistent-function-scoping -- The page gets the outer function alone.
  function hasOutline(element: Element): boolean {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
    const isOutlined =
      outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1 && outlineColor !== 'transparent';
    return isOutlined || (boxShadow.includes('inset') && boxShadow !== 'none');
  }
}
