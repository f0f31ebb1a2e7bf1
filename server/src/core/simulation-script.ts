import { nearestName } from './nearest.ts';

/** What a service finds in the end. */
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

/** What a service waits for that only somebody else can change. */
const problems = ['invite_bounced', 'renter_declined', 'renter_expired'] as const;

const failures = ['provider_error', 'provider_timeout', 'provider_garbage', 'invalid_details'] as const;

export type Finding = (typeof findings)[number];
export type ProblemName = (typeof problems)[number];

/** How a service fails to answer; `error_<code>` is a refusal with that code. */
export type Failure = (typeof failures)[number] | `error_${string}`;

/** What happens to one order, first to last. */
export interface Script {
  /** Each is the answer to two calls; the last one to every further call, if nothing comes after it. */
  failures: Failure[];
  /** Each lasts a working day; the last one for ever, if nothing comes after it. `stuck` is what never gets to its end. */
  obstacles: (ProblemName | 'stuck')[];
  /** The first is what the order ends with; with each further one the service changes its mind, a working day later. */
  findings: Finding[];
}

const scriptLengthMax = 120;

/**
 * The script of an order, as it is kept: what the order asks for (`metadata.simulate`), else the tag of the applicant's e-mail address
 * (`anything+TAG@…`), else `accept`. Whatever is no script is `accept`, so that nothing of a person is kept with it.
 */
export function scriptFor(scenario: string | null, email: string | null): string {
  const asked = (scenario ?? /\+([^+@]*)@[^@]*$/.exec(email ?? '')?.[1] ?? 'accept').toLowerCase();
  return parsed(asked) ? asked : 'accept';
}

/** Says in one sentence why no simulated service can play the script, and which words there are; null if one can. */
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

/** What a kept script says. */
export function readScript(text: string): Script {
  return parsed(text) ?? { failures: [], obstacles: [], findings: ['accept'] };
}

/** Parts with `_then_` between them: failures, then obstacles, then findings. Null if it is none of that. */
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

/** Whether a service can be made to fail with it. */
export function isFailure(text: string): text is Failure {
  return isOneOf(failures, text) || /^error_[a-z][a-z0-9_]{0,39}$/.test(text);
}

export function isOneOf<Name extends string>(names: readonly Name[], text: string): text is Name {
  return (names as readonly string[]).includes(text);
}
