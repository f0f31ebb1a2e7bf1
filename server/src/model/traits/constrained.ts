import type { ApiError } from '../../core/errors.ts';
import { defineTrait } from '../trait.ts';

/**
 * A rule between records of this kind that a constraint of the database keeps, too. The decision refuses a change that breaks the rule. The
 * constraint stops two changes that are decided at the same moment.
 */
export interface Constraint {
  /** The names of the constraints in the database. */
  names: readonly string[];
  refusal(): ApiError;
}

export const constrained = defineTrait<Constraint>();
