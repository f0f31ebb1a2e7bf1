import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../core/ids.ts';

/** The id of a record that may live in the account's own system, so it is taken as it is (spec, reference). */
export const LinkedId = Type.String({ minLength: 1, maxLength: idLengthMax, pattern: idPattern });

/** A text that people read on one line. */
export const SingleLine = Type.String({ minLength: 1, maxLength: 500, format: 'single-line' });

/** A day of the calendar, as `YYYY-MM-DD`. */
export const CalendarDate = Type.String({ format: 'date' });
