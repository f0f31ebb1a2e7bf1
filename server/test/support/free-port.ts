import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to sockets without one (`ip_local_port_range`). */
const [portMin, portsEnd] = [10_000, 32_768];

/** `fetch` refuses it (Fetch Standard, 2.9 Port blocking), and no other one of the range. */
const blockedPort = 10_080;

/**
 * Returns a port of 127.0.0.1 that is free. No other call returns it while this process runs, in any process. The system gives it to no
 * other socket.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(portMin, portsEnd);
    if (port === blockedPort || !(await reserve(port))) continue;
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

/** Holds the same number of UDP, which nothing here uses, until this process ends. So a server that is down keeps its port. */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  return new Promise((resolve) => {
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}
