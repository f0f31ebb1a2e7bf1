import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../core/ids.ts';
import { providers } from '../core/providers.ts';
import { named, oneOf } from './schemas.ts';

/** The id of a record that may exist in another system, so it is not checked further (spec, reference). */
export const LinkedId = Type.String({ minLength: 1, maxLength: idLengthMax, pattern: idPattern });

/** A text that people read on one line. */
export const SingleLine = Type.String({ minLength: 1, maxLength: 500, format: 'single-line' });

/** A calendar date (`YYYY-MM-DD`). */
export const CalendarDate = Type.String({ format: 'date' });

/** An external referencing service. */
export const ProviderName = named('Provider', 'A referencing provider.', oneOf(...providers));

export const KeyKind = named('ApiKeyType', 'The kind of an API key.', oneOf('secret', 'restricted', 'agent'));
