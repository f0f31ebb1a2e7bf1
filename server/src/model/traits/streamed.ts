import { defineTrait } from '../trait.ts';

/** Records have one order, and clients that follow `GET /v1/<path>/stream` get them as they are made. */
export const streamed = defineTrait();
