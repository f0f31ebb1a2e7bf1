import { readFileSync, writeFileSync } from 'node:fs';
import { median } from './suite.ts';
import type { Results } from './report.ts';

/* Draws the figures beside the baseline, as SVG. `node bench/plot.ts FROM.json TO.svg` redraws a run. */

const width = 920;
const labelWidth = 400;
const barHeight = 11;
const rowGap = 12;
const headHeight = 64;
const valueWidth = 130;

type Side = 'ours' | 'limit' | 'baseline';
const sides: Side[] = ['ours', 'baseline', 'limit'];
const legendX = { ours: 12, baseline: 90, limit: 350 };
const sideNames = {
  ours: 'Tenure',
  baseline: 'baseline: Fastify, Drizzle, graphile-worker',
  limit: 'what else the figure is held against',
};

/**
 * Draws bars of all figures with a baseline, each as a multiple of it, on a logarithmic scale. It is legible on light and on dark pages.
 */
export function plotOf({ figures }: Results): string {
  const rows = figures.flatMap(({ title, better, besideUnit, readings }) => {
    const of = (side: Side): number | null => {
      const values = readings.flatMap((reading) => reading[side] ?? []);
      return values.length === 0 ? null : median(values);
    };
    const values = { ours: of('ours'), baseline: of('baseline'), limit: of('limit') };
    return values.ours === null || !values.baseline ? [] : [{ title, better, besideUnit, values }];
  });
  const ratios = rows.flatMap(({ values }) => sides.flatMap((side) => (values[side] ?? 0) / values.baseline!));
  const [least, most] = [Math.min(0.5, ...ratios.filter((ratio) => ratio > 0)), Math.max(2, ...ratios)];
  const x = (ratio: number): number =>
    labelWidth +
    ((Math.log(ratio) - Math.log(least)) / (Math.log(most) - Math.log(least))) * (width - labelWidth - valueWidth);
  let y = headHeight;
  const parts: string[] = [];
  for (const { title, better, besideUnit, values } of rows) {
    const shown = sides.filter((side) => values[side] !== null);
    const middle = y + (shown.length * barHeight) / 2;
    const [label, against] = title.split(', against ') as [string, string | undefined];
    const note = `${better} is better${values.limit === null ? '' : `; grey: ${against}`}`;
    parts.push(`<text class="label" x="${labelWidth - 12}" y="${middle}">${escaped(label)}</text>`);
    parts.push(`<text class="note" x="${labelWidth - 12}" y="${middle + 12}">${escaped(note)}</text>`);
    for (const side of shown) {
      const ratio = values[side]! / values.baseline!;
      const [from, to] = [Math.min(x(1), x(ratio)), Math.max(x(1), x(ratio))];
      parts.push(
        `<rect class="${side}" x="${round(from)}" y="${y + 1}" width="${round(Math.max(2, to - from))}" height="${barHeight - 2}" rx="1.5"/>`,
        `<text class="value" x="${round(to + 6)}" y="${y + barHeight - 2}">${figure(ratio)} ×, ${written(values[side]!, besideUnit)}</text>`,
      );
      y += barHeight;
    }
    y += Math.max(rowGap, 30 - shown.length * barHeight);
  }
  const legend = sides.map(
    (side) =>
      `<rect class="${side}" x="${legendX[side]}" y="38" width="12" height="9"/>` +
      `<text class="value" x="${legendX[side] + 18}" y="46">${sideNames[side]}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 8}" font-family="system-ui, sans-serif" role="img" aria-label="What is measured, as multiples of the baseline">
<style>
text { fill: #24292f } .label { font-size: 12px; text-anchor: end } .note { font-size: 10px; text-anchor: end; opacity: .65 }
.value { font-size: 10px } .title { font-size: 14px; font-weight: 600 } .axis { stroke: #8b949e; stroke-dasharray: 3 3 }
.ours { fill: #1f6feb } .baseline { fill: #d4761e } .limit { fill: #8b949e }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .ours { fill: #58a6ff } .baseline { fill: #f0a050 } }
</style>
<text class="title" x="12" y="22">As multiples of the baseline (logarithmic)</text>
${legend.join('\n')}
<line class="axis" x1="${round(x(1))}" y1="${headHeight - 6}" x2="${round(x(1))}" y2="${y}"/>
${parts.join('\n')}
</svg>
`;
}

/** Rounds to a useful precision: 6.2, 35, 0.0020. */
function figure(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toPrecision(2);
}

function written(value: number, unit: string): string {
  return unit === '/s'
    ? `${Math.round(value).toLocaleString('en')}/s`
    : `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2);
  writeFileSync(to!, plotOf(JSON.parse(readFileSync(from!, 'utf8')) as Results));
}
