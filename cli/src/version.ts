/** The version of this package, and of the server's release that it belongs to. A test compares both. */
export const version = '0.2.0';
