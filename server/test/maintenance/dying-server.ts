import { openDatabase, type Client } from '../../src/db/pools.ts';
import { runServer } from '../../src/server/start.ts';

/* The server, which dies before it sends a statement with the text in TEST_DIE_AT. */

const text = process.env.TEST_DIE_AT!;

await runServer({
  openDatabase(...parts: Parameters<typeof openDatabase>) {
    const database = openDatabase(...parts);
    for (const pool of Object.values(database)) {
      if (typeof pool !== 'object' || !('on' in pool)) continue;
      pool.on('connect', (client: Client) => {
        const query = client.query.bind(client) as (...args: unknown[]) => unknown;
        const watched = (...args: unknown[]): unknown => {
          const [statement] = args as [string | { text: string }];
          if ((typeof statement === 'string' ? statement : statement.text).includes(text))
            process.kill(process.pid, 'SIGKILL');
          return query(...args);
        };
        Object.assign(client, { query: watched });
      });
    }
    return database;
  },
});
