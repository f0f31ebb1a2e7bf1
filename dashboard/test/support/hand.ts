import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { Keyboard } from '../../../ui/test/support/keyboard.ts';

/** A way to use a page: by the mouse or by the keyboard. Both find parts by role and label only. */
export interface Hand {
  press(control: Locator): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
  /** Ticks a box, or chooses one of several. */
  choose(box: Locator): Promise<void>;
  /** Chooses from the suggestions of a field by a part of a name. */
  pick(field: Locator, text: string): Promise<void>;
}

/** The ways that each task must work in, with the width of the window. */
export const hands: [name: string, width: number, make: (page: Page) => Hand][] = [
  ['by mouse at 390 px', 390, mouse],
  ['by keyboard at 1280 px', 1280, keyboard],
];

/** Presses keys until they lead to something. A busy machine may take longer for two of them than a person has. */
export async function pressUntil(page: Page, keys: string, shown: Locator): Promise<void> {
  const press = async (): Promise<boolean> => {
    for (const key of keys) await page.keyboard.press(key);
    return shown.isVisible();
  };
  await expect.poll(press, { interval: 1_000 }).toBe(true);
}

export function mouse(page: Page): Hand {
  return {
    press: (control) => control.click(),
    type: (field, text) => field.fill(text),
    // The input is hidden below its label, as of all our boxes.
    choose: (box) => box.locator('xpath=ancestor::label[1]').click(),
    async pick(field, text) {
      await field.fill(text);
      await page.getByRole('option', { name: text }).first().click();
    },
  };
}

function keyboard(page: Page): Hand {
  const keys = new Keyboard(page);
  return {
    press: (control) => keys.use(control),
    async type(field, text) {
      await keys.tabTo(field);
      // A day is typed into parts, in an order that the browser chooses.
      if ((await field.getAttribute('type')) === 'date') return field.fill(text);
      await page.keyboard.press('Control+a');
      await keys.type(text);
    },
    async choose(box) {
      await box.waitFor({ state: 'attached' });
      if ((await box.getAttribute('type')) !== 'radio') {
        await keys.tabTo(box);
        return keys.press('Space');
      }
      // Tab leads to the chosen one of a group, and arrows lead on.
      const group = box.locator('xpath=ancestor::*[@role="radiogroup"][1]');
      for (let presses = 0; presses < 150; presses++) {
        if (await group.evaluate((node) => node.contains(document.activeElement))) break;
        await keys.press('Tab');
      }
      for (let presses = 0; presses < 10 && !(await box.isChecked()); presses++) {
        const isFocused = await box.evaluate((node) => node === document.activeElement);
        await page.keyboard.press(isFocused ? 'Space' : 'ArrowDown');
      }
    },
    async pick(field, text) {
      await keys.tabTo(field);
      await page.keyboard.type(text);
      await page.getByRole('option', { name: text }).first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    },
  };
}
