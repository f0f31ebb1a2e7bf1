import { addressLines, money } from '../../print/words.ts';
import type { Address, Rent } from '../providers/provider.ts';

const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

/** Formats a rent as `£950.00 a month`. */
export function rentText(rent: Rent): string {
  return `${money(rent)} a ${rent.interval}`;
}

const plainNumber = new Intl.NumberFormat('en-GB');

/** Formats a score as `640 of 1,000`. */
export function scoreText(score: number, scoreMax: number | null): string {
  const scale = scoreMax === null ? ' (the scale is not known)' : ` of ${plainNumber.format(scoreMax)}`;
  return `${plainNumber.format(score)}${scale}`;
}

/** Formats 28.5 as `28.5%`. */
export function percentText(value: number): string {
  return percent.format(value / 100);
}

/** Formats an address on one line. */
export function addressText(address: Address): string {
  return addressLines(address).join(', ');
}
