import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Attack } from './attack.ts';
import type { Order, Report } from './order.ts';

/** Attacks in its own process, so that it does not delay what is measured. Tells when it is prepared. Then it begins, and reports, when it is asked. */
const order = JSON.parse(process.env.ATTACK!) as Order;
const receiver = await hangingReceiver();
const attacks = order.keys.map((key, index) => {
  // A hundred endpoints are enough to hold all bytes of deliveries.
  const sizes = index === 0 ? order.sizes : { ...order.sizes, events: 0, recoveries: 0 };
  return new Attack({ url: order.url, key, sizes, receiver, firstNumber: index * 1_000_000 });
});
process.on('message', (message) => {
  if (message === 'begin') for (const attack of attacks) attack.begin();
  else process.send!(together(attacks.map((attack) => attack.report())));
});
await Promise.all(attacks.map((attack) => attack.prepare()));
process.send!('prepared');

function together(reports: readonly Report[]): Report {
  const statuses: Record<string, number> = {};
  for (const report of reports)
    for (const [name, count] of Object.entries(report.statuses)) statuses[name] = (statuses[name] ?? 0) + count;
  return {
    statuses,
    writes: {
      acknowledged: reports.flatMap(({ writes }) => writes.acknowledged),
      refused: reports.flatMap(({ writes }) => writes.refused),
    },
  };
}

/** Accepts all connections, and never responds. */
async function hangingReceiver(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
