import { Type } from 'typebox';
import { closedObject, named } from '../model/schemas/make.ts';
import type { Failure } from './check.ts';
import { isNewlyMissed } from './deadlines.ts';
import type { Judgement } from './judge.ts';

/** A warning in a record. */
export interface RaisedCheck {
  /** The check's id. */
  id: string;
  message: string;
  /** When it was raised, in seconds since the Unix epoch. It stays while the check fails. */
  since: number;
}

/** The schema of a record's `checks`. */
export const RaisedChecks = Type.Array(
  named(
    'RaisedCheck',
    'A duty by law that is not met.',
    closedObject({
      id: Type.String({ description: 'The id of the check in the ruleset.' }),
      message: Type.String({ description: 'The rule, its source, and what to do.' }),
      since: Type.Integer({ description: 'When it was raised, in seconds since the Unix epoch.' }),
    }),
  ),
  { description: 'The duties by law that are not met. An empty list if all are met.' },
);

/**
 * Replaces the stored warnings of the judged checks. Those of other acts stay.
 *
 * @returns the warnings by id, and whether one is new or its deadline was missed since. That adds the event `.check_raised`.
 */
export function mergeWarnings(
  stored: readonly RaisedCheck[],
  { warnings, judged }: Pick<Judgement, 'warnings' | 'judged'>,
  nowSeconds: number,
): { checks: RaisedCheck[]; isRaised: boolean } {
  let isRaised = false;
  const checks = stored.filter(({ id }) => !judged.includes(id));
  for (const { id, message } of warnings) {
    const before = stored.find((check) => check.id === id);
    const isNew = before === undefined || isNewlyMissed(before.message, message);
    isRaised ||= isNew;
    checks.push({ id, message, since: isNew ? nowSeconds : before.since });
  }
  return { checks: checks.toSorted((one, other) => (one.id < other.id ? -1 : 1)), isRaised };
}

/** Replaces the message of a raised warning, or removes the warning if its duty is met. A warning that is not raised stays so. */
export function reviseWarning(stored: readonly RaisedCheck[], id: string, failure: Failure | null): RaisedCheck[] {
  return stored.flatMap((check) => {
    if (check.id !== id) return [check];
    return failure ? [{ ...check, message: failure.message }] : [];
  });
}
