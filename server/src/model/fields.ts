import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../core/ids.ts';

/** The id of a record that may exist in another system, so it is not checked further (spec, reference). */
export const LinkedId = Type.String({ minLength: 1, maxLength: idLengthMax, pattern: idPattern });

/** A text that people read on one line. */
export const SingleLine = Type.String({ minLength: 1, maxLength: 500, format: 'single-line' });

/** A calendar date (`YYYY-MM-DD`). */
export const CalendarDate = Type.String({ format: 'date' });
