import { page, type Sheet } from './sheet.ts';

/** The places of two columns side by side. */
export const halves = {
  left: { x: page.left, width: 250 },
  right: { x: 330, width: page.right - 330 },
};

/** Draws two columns. The shorter one comes second, because the first may continue on a further page. */
export function beside(sheet: Sheet, drawLeft: () => void, drawRight: () => void): void {
  const startPage = sheet.document.page;
  const startY = sheet.y;
  const rightHeight = sheet.heightOf(drawRight);
  if (sheet.heightOf(drawLeft) + startY > page.bottom) {
    // The columns would not end on this page. Set one under the other.
    drawRight();
    sheet.y += 10;
    return drawLeft();
  }
  drawLeft();
  const leftY = sheet.y;
  if (sheet.document.page !== startPage) throw new Error('Bug! A column that fits began a new page.');
  sheet.y = startY;
  drawRight();
  sheet.y = Math.max(leftY, startY + rightHeight);
}
