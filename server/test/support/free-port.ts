import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to sockets without one (`ip_local_port_range`). */
const [portMin, portsEnd] = [10_000, 32_768];

/** `fetch` refuses it (Fetch Standard, 2.9 Port blocking), and no other one of the range. */
const blockedPort = 10_080;

/** Returns a port of 127.0.0.1 that was free a moment ago. The system gives it to no other socket until a server listens on it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(portMin, portsEnd);
    if (port === blockedPort) continue;
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
