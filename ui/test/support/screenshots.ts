import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The folder for pictures of the pages. Without it, none is taken. */
const folder = process.env.TENURE_TEST_SCREENSHOTS;

/** Stores a picture of the page as it is, if `TENURE_TEST_SCREENSHOTS` names a folder for it. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (folder === undefined) return;
  const [theme, width] = await page.evaluate(() => [
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    innerWidth,
  ]);
  const fileName = name.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '') || 'home';
  // A dialog belongs to the window, and would lie anywhere on a longer picture.
  const fullPage = (await page.getByRole('dialog').or(page.getByRole('alertdialog')).count()) === 0;
  await page.screenshot({ path: join(folder, `${fileName}-${width}-${theme}.png`), fullPage });
}
