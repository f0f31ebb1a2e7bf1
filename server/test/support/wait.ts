/** Milliseconds for which a test waits for something, however busy the machine is. A test waits this long only if it fails. */
export const waitMs = 240_000;
