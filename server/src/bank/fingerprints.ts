import { createHash } from 'node:crypto';
import type { StatementLine } from './statement-file.ts';

/**
 * Returns the fingerprints of lines, in their order. Lines of two files with one fingerprint are the same money. They have the same day,
 * amount, currency, reference and payer. They also have the same place among equal lines of their file.
 */
export function fingerprintsOf(lines: readonly StatementLine[]): string[] {
  const seen = new Map<string, number>();
  return lines.map(({ received_on: day, amount, currency, reference, payer_name: payer }) => {
    const facts = JSON.stringify([day, amount, currency, folded(reference), folded(payer)]);
    const ordinal = (seen.get(facts) ?? 0) + 1;
    seen.set(facts, ordinal);
    return createHash('sha256').update(`${ordinal} ${facts}`).digest('hex');
  });
}

function folded(text: string | null): string {
  return (text ?? '').toLowerCase();
}
