import type { Clock } from '../../core/clock.ts';
import { ProviderFault } from '../../external-services/service.ts';
import { callbackRules, callbackSigned } from './callback-rules.ts';
import { courseRules } from './course-rules.ts';
import { Kit, type Target } from './kit.ts';
import { orderAccepted, orderRules } from './order-rules.ts';
import { Unjudged, type Rule } from './rule.ts';

export type { Target } from './kit.ts';

/** Bytes. Tenure reads no longer answer. */
const answerBytesMax = 1_000_000;

/** The rules about all answers. They are judged last. */
const answerRules: readonly Rule[] = [
  callbackSigned,
  {
    name: 'answer.in-time',
    says: 'answers every request in time',
    advice: 'Answer within 15 seconds. Work that takes longer belongs behind the answer.',
    judge: ({ late, target }) =>
      Promise.resolve(late.length === 0 ? null : `No answer within ${target.answerMs / 1000} seconds: ${late[0]}.`),
  },
  {
    name: 'answer.bounded',
    says: 'keeps its answers below 1 MB',
    advice: 'Shorten the report.',
    judge({ texts }) {
      const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
      return Promise.resolve(longest > answerBytesMax ? `An answer has ${longest} bytes.` : null);
    },
  },
  {
    name: 'answer.no-secrets',
    says: 'shows no token and no signing secret',
    advice: 'Leave credentials out of answers and error messages.',
    judge({ texts, target }) {
      const secrets = [target.token, target.signingSecret];
      const isShown = texts.some((text) => secrets.some((secret) => text.includes(secret)));
      return Promise.resolve(isShown ? 'An answer has the token or the signing secret in it.' : null);
    },
  },
];

/** All rules, in the order of their lines. */
export const rules: readonly Rule[] = [orderAccepted, ...orderRules, ...courseRules, ...callbackRules, ...answerRules];

/** How the service stands to a rule. */
export interface Judgement {
  rule: Rule;
  result: 'pass' | 'fail' | 'skip';
  /** How the rule is broken, or why it was not judged. Null if it is kept. */
  finding: string | null;
}

/** Plays orders to a service, and judges it by each rule of the protocol. */
export async function checkProvider(target: Target, clock: Clock): Promise<Judgement[]> {
  const kit = await Kit.start(target, clock);
  try {
    const first = await judge(orderAccepted, kit);
    const others = [...orderRules, ...courseRules, ...callbackRules];
    if (first.result === 'fail') {
      const finding = 'The first order was not taken.';
      return [first, ...[...others, ...answerRules].map((rule) => ({ rule, result: 'skip' as const, finding }))];
    }
    const judgements = await Promise.all(others.map((rule) => judge(rule, kit)));
    return [first, ...judgements, ...(await Promise.all(answerRules.map((rule) => judge(rule, kit))))];
  } finally {
    await kit.stop();
  }
}

async function judge(rule: Rule, kit: Kit): Promise<Judgement> {
  try {
    const finding = await rule.judge(kit);
    return { rule, result: finding === null ? 'pass' : 'fail', finding };
  } catch (error) {
    if (error instanceof Unjudged) return { rule, result: 'skip', finding: error.message };
    if (error instanceof ProviderFault) return { rule, result: 'fail', finding: `${error.code}: ${error.message}` };
    throw error;
  }
}

/** Returns the lines about a judgement: one for a kept rule. A broken rule has also what was found, and what to do. */
export function linesOf({ rule, result, finding }: Judgement): string[] {
  const line = `${result === 'fail' ? 'FAIL' : result}  ${rule.name.padEnd(24)} ${rule.says}`;
  if (result === 'pass') return [line];
  if (result === 'skip') return [line, `      not judged: ${finding}`];
  return [line, `      found: ${finding}`, `      do: ${rule.advice}`];
}
