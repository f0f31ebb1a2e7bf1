import { format, textTable } from '../report.ts';
import { median } from '../suite.ts';
import type { Comparison, Figures } from './compare.ts';
import type { LoadFigures, Sizes } from './measure.ts';

/** A product keeps up with a load if it receives this share of it. Arrivals are random, so their rate varies. */
const keptUpShare = 0.9;

/** Formats a column for each product, with medians of its rounds. The reasons of cells without a figure are below. */
export function comparisonTable(compared: Comparison[], { lowPerSecond, highPerSecond }: Sizes): string {
  const reasons: string[] = [];
  const rows: [title: string, cellOf: (rounds: Figures[]) => string][] = [
    [
      `CPU ms an event made and delivered, sustained / at ${highPerSecond}/s`,
      (rounds) => `${costCell(rounds, 'sustained')} / ${costCell(rounds, 'high')}`,
    ],
    [`CPU ms an event made and delivered, at ${lowPerSecond}/s`, (rounds) => costCell(rounds, 'low')],
    [`Response to receipt at ${lowPerSecond}/s, p50 / p99, ms`, (rounds) => latencyCell(rounds, 'low')],
    [`Response to receipt at ${highPerSecond}/s, p50 / p99, ms`, (rounds) => latencyCell(rounds, 'high')],
    ['CPU at rest, % of one core', (rounds) => cell(rounds.map(({ idlePercent }) => idlePercent))],
    [
      'kill -9 of the only worker to the last event accepted before, ms',
      (rounds) => cell(rounds.map(({ killMs }) => killMs)),
    ],
    ['Memory at rest, PSS, MB', (rounds) => cell(rounds.map(({ memoryMb }) => memoryMb))],
  ];
  const lines = [
    ['', ...compared.map(({ name }) => name)],
    ...rows.map(([title, cellOf]) => [title, ...compared.map(({ rounds }) => cellOf(rounds))]),
  ];
  return `${textTable(lines)}\n${reasons.map((reason, index) => `(${index + 1}) ${reason}\n`).join('')}`;

  function costCell(rounds: Figures[], load: 'sustained' | 'low' | 'high'): string {
    const loads = rounds.map((figures) => figures[load]);
    const costs = loads.map((each) => (typeof each === 'string' ? each : each.processorMs));
    return cell(costs) + noteOf(loads, load === 'sustained');
  }

  function latencyCell(rounds: Figures[], load: 'low' | 'high'): string {
    const loads = rounds.map((figures) => figures[load]);
    const of = (name: 'p50Ms' | 'p99Ms'): string =>
      cell(loads.map((each) => (typeof each === 'string' ? each : each[name])));
    const isMeasured = loads.some((each) => typeof each !== 'string');
    return isMeasured ? `${of('p50Ms')} / ${of('p99Ms')}${noteOf(loads, false)}` : of('p50Ms');
  }

  /** Formats the median of the rounds that have a figure, and names the reason of the first that has none. */
  function cell(values: (number | string)[]): string {
    const measured = values.filter((value) => typeof value === 'number');
    const reason = values.find((value) => typeof value === 'string');
    const leftOut = reason === undefined ? [] : [`left out (${numberOf(reason)})`];
    return [...(measured.length > 0 ? [format(median(measured))] : []), ...leftOut].join(', once ');
  }

  function numberOf(reason: string): number {
    if (!reasons.includes(reason)) reasons.push(reason);
    return reasons.indexOf(reason) + 1;
  }
}

/** Counts the events that the product refused or did not deliver. Names the rate if asked to, or if the product did not keep up. */
function noteOf(loads: (LoadFigures | string)[], isRateShown: boolean): string {
  const measured = loads.filter((each) => typeof each !== 'string');
  if (measured.length === 0) return '';
  const received = median(measured.map((each) => each.receivedPerSecond));
  const isKeptUp = received >= keptUpShare * median(measured.map((each) => each.sentPerSecond));
  const failed = measured.reduce((sum, each) => sum + each.failed, 0);
  const lost = measured.reduce((sum, each) => sum + each.lost, 0);
  return [
    isRateShown || !isKeptUp ? ` at ${Math.round(received)}/s` : '',
    failed > 0 ? `, ${failed} refused` : '',
    lost > 0 ? `, ${lost} not received` : '',
  ].join('');
}
