import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/* The contrast of the design tokens (WCAG 2.2, 1.4.3 and 1.4.11). `docs/visual-design.md` shows the table. */

const css = readFileSync(join(import.meta.dirname, '../../ui/src/tokens.css'), 'utf8');

/** Texts with the surfaces below them: at least 4.5:1. */
const texts: [text: string, surfaces: string[]][] = [
  ['text', ['surface', 'surface-sunken', 'surface-raised', 'surface-hover', 'surface-selected']],
  ['text-quiet', ['surface', 'surface-sunken', 'surface-raised', 'surface-hover']],
  ['accent', ['surface', 'surface-sunken', 'surface-raised', 'surface-selected']],
  ['text-on-fill', ['accent-fill', 'accent-fill-hover', 'danger-fill', 'danger-fill-hover']],
  ['success', ['surface', 'surface-sunken', 'success-soft']],
  ['warning', ['surface', 'surface-sunken', 'warning-soft']],
  ['danger', ['surface', 'surface-sunken', 'surface-raised', 'danger-soft']],
  ['info', ['surface', 'surface-sunken', 'info-soft']],
];

/** Edges of controls, rings of the focus and parts of charts: at least 3:1. */
const parts: [part: string, surfaces: string[]][] = [
  ['line-strong', ['surface', 'surface-raised', 'surface-sunken']],
  ['focus', ['surface', 'surface-sunken', 'surface-raised', 'surface-hover', 'surface-selected']],
  ['chart-good', ['surface']],
  ['chart-warn', ['surface']],
  ['chart-bad', ['surface']],
];

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test.each(texts)('%s can be read on each surface', (text, surfaces) => {
    for (const surface of surfaces) expect(contrast(text, surface, theme), surface).toBeGreaterThanOrEqual(4.5);
  });

  test.each(parts)('%s can be seen on each surface', (part, surfaces) => {
    for (const surface of surfaces) expect(contrast(part, surface, theme), surface).toBeGreaterThanOrEqual(3);
  });
});

function contrast(one: string, other: string, theme: 'light' | 'dark'): number {
  const [darker, lighter] = [luminance(one, theme), luminance(other, theme)].sort((a, b) => a - b);
  return (lighter! + 0.05) / (darker! + 0.05);
}

/** Returns the relative luminance of a token. */
function luminance(token: string, theme: 'light' | 'dark'): number {
  const [, light, dark] = new RegExp(`--${token}: (?:light-dark\\()?(#\\w{6})(?:, (#\\w{6}))?`).exec(css)!;
  const hex = theme === 'dark' ? (dark ?? light!) : light!;
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
