import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../../core/ids.ts';
import { gateways } from '../../core/vocabulary/gateways.ts';
import { providers } from '../../core/vocabulary/providers.ts';
import type { Field } from '../record.ts';
import { named, nullable, oneOf } from './make.ts';

/** The id of a record that may exist in another system, so it is not checked further (spec, reference). */
export const LinkedId = Type.String({ minLength: 1, maxLength: idLengthMax, pattern: idPattern });

/** A text that people read on one line. */
export const SingleLine = Type.String({ minLength: 1, maxLength: 500, format: 'single-line' });

/** A line as it is stored and shown. A stored text may be older than the rules for input. */
export const StoredLine = Type.String({ minLength: 1, maxLength: 500 });

/** A value of a filter on a boolean. */
export const Flag = oneOf('true', 'false');

/** A calendar date (`YYYY-MM-DD`). */
export const CalendarDate = Type.String({ format: 'date' });

/** An external referencing service. */
export const GatewayName = named('PaymentProvider', 'A payment gateway.', oneOf(...gateways));
export const ProviderName = named('Provider', 'A referencing provider.', oneOf(...providers));

export const KeyKind = named('ApiKeyType', 'The kind of an API key.', oneOf('secret', 'restricted', 'agent'));

/**
 * Returns the field of the time of a move, in seconds since the Unix epoch. It is null before the move, and after the move is undone.
 *
 * @param otherwise says when it is null.
 */
export function moment(description: string, otherwise: string) {
  return {
    column: 'bigint',
    schema: nullable(Type.Integer()),
    description: `${description}, in seconds since the Unix epoch. ${otherwise}`,
    initial: null,
  } as const satisfies Field;
}
