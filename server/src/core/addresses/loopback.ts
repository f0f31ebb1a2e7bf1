/** The names of this machine in a URL. */
export const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Returns whether an address is an http address of this machine, where no network can read along. */
export function isLoopbackUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && loopbackNames.includes(hostname);
}
