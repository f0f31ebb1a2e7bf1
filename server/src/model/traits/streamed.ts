import { defineTrait } from '../trait.ts';

/** Records have one order. `GET /v1/<path>/stream` sends them to clients as they are made. */
export const streamed = defineTrait();
