import { nearestName } from '../nearest.ts';

/** The results that a service can find. */
const findings = [
  'accept',
  'consider',
  'high_risk',
  'no_credit_file',
  'ccj',
  'ccj_satisfied',
  'iva',
  'bankrupt',
  'low_income',
  'sanctions_match',
  'sanctions_review',
  'referee_silent',
  'fraud_payslip',
] as const;

/** Obstacles that only a third party can remove. */
const problems = ['invite_bounced', 'renter_declined', 'renter_expired'] as const;

const failures = ['provider_error', 'provider_timeout', 'provider_garbage', 'invalid_details'] as const;

export type Finding = (typeof findings)[number];
export type ProblemName = (typeof problems)[number];

/** A failed call to a service. `error_<code>` is a refusal with that code. */
export type Failure = (typeof failures)[number] | `error_${string}`;

/** The course of one order, in this sequence. */
export interface Script {
  /** Each is the response to two calls. If no obstacle or finding follows, the last one is the response to all further calls. */
  failures: Failure[];
  /** Each lasts a working day. If no finding follows, the last one lasts for ever. `stuck` is an order that never completes. */
  obstacles: (ProblemName | 'stuck')[];
  /** The first is the result of the order. Each further one replaces it a working day later. */
  findings: Finding[];
}

const scriptLengthMax = 120;

/**
 * Returns the script of an order, as it is stored. It is `metadata.simulate`, else the tag of the applicant's e-mail address
 * (`anything+TAG@…`), else `accept`. An invalid script becomes `accept`, so that no personal data is stored with it.
 */
export function scriptFor(scenario: string | null, email: string | null): string {
  const asked = (scenario ?? /\+([^+@]*)@[^@]*$/.exec(email ?? '')?.[1] ?? 'accept').toLowerCase();
  return parsed(asked) ? asked : 'accept';
}

/** Says why no simulated service can play the script, and lists the valid words. Returns null if the script is valid. */
export function scriptFault(text: string): string | null {
  const asked = text.toLowerCase();
  if (parsed(asked)) return null;
  const rules = `The words are ${failures.join(', ')} and error_<code>; then ${[...problems, 'stuck'].join(', ')}; then ${findings.join(', ')}. Join several with _then_, in this order, up to ${scriptLengthMax} characters.`;
  const words: string[] = [...failures, ...problems, 'stuck', ...findings];
  const unknown = asked.split('_then_').find((part) => !words.includes(part) && !isFailure(part));
  if (unknown === undefined) return `Its words are in the wrong order, or too many. ${rules}`;
  const nearest = nearestName(unknown, words);
  const hint = nearest === null ? '' : ` Did you mean \`${nearest}\`?`;
  return `No simulated service knows \`${unknown.slice(0, scriptLengthMax)}\`.${hint} ${rules}`;
}

/** Parses a stored script. */
export function readScript(text: string): Script {
  return parsed(text) ?? { failures: [], obstacles: [], findings: ['accept'] };
}

/** Parses parts with `_then_` between them: failures, then obstacles, then findings. Returns null for other texts. */
function parsed(text: string): Script | null {
  if (text.length > scriptLengthMax) return null;
  const script: Script = { failures: [], obstacles: [], findings: [] };
  for (const part of text.split('_then_')) {
    if (isOneOf(findings, part)) script.findings.push(part);
    else if (script.findings.length > 0) return null;
    else if (part === 'stuck' || isOneOf(problems, part)) script.obstacles.push(part);
    else if (script.obstacles.length > 0) return null;
    else if (isFailure(part)) script.failures.push(part);
    else return null;
  }
  return script;
}

/** Returns whether a word names a failure. */
export function isFailure(text: string): text is Failure {
  return isOneOf(failures, text) || /^error_[a-z][a-z0-9_]{0,39}$/.test(text);
}

export function isOneOf<Name extends string>(names: readonly Name[], text: string): text is Name {
  return names.some((name) => name === text);
}
