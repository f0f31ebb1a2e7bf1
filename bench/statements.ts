import { setTimeout as delay } from 'node:timers/promises';
import { runLoad } from './load/wrk.ts';
import { untilEmpty, verifyDelivered } from './queue.ts';
import { requestBody } from './sample.ts';
import { type Suite } from './suite.ts';

const settleMs = 500;

/**
 * Counts the statements that PostgreSQL executes for a delivery, from its creation to its outcome. Meanwhile requests make deliveries as
 * fast as they can, and one process does everything. PostgreSQL counts every statement that names a table of webhooks or notifies.
 */
export const statements: Suite<'perDelivery'> = {
  name: 'statements',
  figures: {
    perDelivery: {
      title: 'Statements a delivery, its making included',
      unit: 'statements',
      better: 'less',
      floor: 0.2,
      aim: 0.1,
      needs: ['wrk'],
    },
  },
  async round({ deployment, tools, seconds }) {
    const { database } = deployment;
    await deployment.subscribe(2);
    await deployment.empty();
    const server = await deployment.startServer('all');
    await count('top');
    await runLoad(tools.wrk!, 'post', server.url, {
      seconds: Math.ceil(seconds / 2),
      env: { AUTHORIZATION: `Bearer ${deployment.secretKey}`, BODY: requestBody },
    });
    await deployment.settle();
    await untilEmpty(deployment, 'webhook_queue');
    await count('none');
    await server.stop();
    const { rows } = await database.query<{ calls: string; deliveries: string }>(`
      select
        (
          select coalesce(sum(calls), 0)
          from pg_stat_statements
          where query ~ 'webhook_|pg_notify' and query !~ '/\\* bench \\*/'
        ) as calls,
        (select count(*) from webhook_deliveries) as deliveries`);
    const calls = Number(rows[0]!.calls);
    const deliveries = Number(rows[0]!.deliveries);
    await verifyDelivered(deployment, deliveries);
    return { perDelivery: { value: calls / deliveries } };

    async function count(which: 'top' | 'none'): Promise<void> {
      await database.query(`alter system set pg_stat_statements.track = '${which}'`);
      await database.query('select pg_reload_conf()');
      await delay(settleMs);
      if (which === 'top') await database.query('select pg_stat_statements_reset()');
    }
  },
};
