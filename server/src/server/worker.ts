import { setTimeout as delay } from 'node:timers/promises';
import { isPassing } from '../commit/retry.ts';
import { workingDaySeconds } from '../external-services/pauses.ts';
import { Referencing } from '../referencing/job.ts';
import { Reports } from '../referencing/reports.ts';
import { ReferenceTask } from '../referencing/task.ts';
import type { ProviderConnection } from '../referencing/credentials.ts';
import { JobWorker } from '../job-queue/queue.ts';
import { simulatedProviders } from './config.ts';
import type { Context } from './context.ts';
import { providers as providerNames, type Provider } from '../core/vocabulary/providers.ts';
import { HttpProviderClient } from '../external-services/client.ts';
import { email } from '../resources/email.ts';
import { SmtpSender } from '../email/smtp.ts';
import { EmailTask } from '../email/task.ts';
import { referencingProviders } from '../referencing/providers/index.ts';
import { reportPrinter } from '../referencing/report/index.ts';
import { reference } from '../resources/reference/index.ts';
import { Collecting } from '../gateway-payments/job.ts';
import { paymentGateways } from '../gateway-payments/gateways/index.ts';
import { startGateway } from '../gateway-payments/simulator/index.ts';
import type { Gateway } from '../core/vocabulary/gateways.ts';
import { payment } from '../resources/letting/payment/index.ts';
import { startSimulators } from '../referencing/simulator/index.ts';
import { scheduled } from '../model/traits/scheduled.ts';
import { StepTask } from '../external-jobs/task.ts';
import { Sender } from '../webhooks/sender.ts';
import { WorkflowTask } from '../workflows/task.ts';
import { workflowRun } from '../resources/workflows/run.ts';

/** Connections of `http` steps. There are fewer runs at once. */
const postsAtOnceMax = 64;

/** Milliseconds that a stop waits for responses of services. */
const callsEndMs = 5_000;

/** The work of a worker besides webhooks: automatic references, payments with a gateway and e-mails. Also the simulated services of a
 * sandbox. */
export interface Work {
  /**
   * Stops when the jobs under way have ended. Jobs that still wait for a service after `callsEndMs` are cut off, and start again in another
   * process.
   */
  stop(): Promise<void>;
}

export async function startWork(context: Context): Promise<Work> {
  const { config, connection, database, encryption, clock, realClock, log, callTimeoutsMs } = context;
  const simulated = simulatedProviders(config);
  const timeScale = config.simulatedDaySeconds / workingDaySeconds;
  const simulation = {
    pool: database.readers,
    encryption,
    clock,
    realClock,
    log,
    workingDaySeconds: config.simulatedDaySeconds,
  };
  const simulators = await startSimulators({ ...simulation, providers: simulated });
  const clients: HttpProviderClient[] = [];
  const connections = new Map<Provider, ProviderConnection>();
  for (const provider of providerNames) {
    const isSimulated = simulated.includes(provider);
    const url = isSimulated ? simulators.urls[provider] : config.providerUrls[provider];
    if (url === undefined || url === null) continue;
    const client = new HttpProviderClient(url, isSimulated ? callTimeoutsMs.simulated : callTimeoutsMs.real);
    clients.push(client);
    connections.set(provider, { client, isSimulated });
  }
  const printer = reportPrinter({ turns: context.printTurns });
  const reports = new Reports(context, printer);
  const referencing = new Referencing(context, {
    providers: referencingProviders,
    connections,
    timeScale,
    reports,
  });
  const gateway = config.mode === 'sandbox' && config.gatewayUrl === null ? await startGateway(simulation) : null;
  const gatewayUrl = gateway?.url ?? config.gatewayUrl;
  const gatewayClients = new Map<Gateway, HttpProviderClient>();
  if (gatewayUrl !== null) {
    const client = new HttpProviderClient(gatewayUrl, callTimeoutsMs.simulated);
    clients.push(client);
    gatewayClients.set('simulator', client);
  }
  const collecting = new Collecting(context, { gateways: paymentGateways, clients: gatewayClients, timeScale });
  const { smtp } = config;
  const { pauses, timeouts } = context.emailLimits;
  const sender = smtp && new SmtpSender(smtp, new URL(config.publicUrl).hostname, timeouts);
  // Without a mail server, the jobs of earlier e-mails wait in the queue.
  const emailTask = sender && new EmailTask(context, { sender, from: smtp.from, ...(pauses && { pauses }) });
  const poster = new Sender({ ...context.outgoing, socketsMax: postsAtOnceMax });
  const workflowTask = new WorkflowTask(context, {
    sender: poster,
    userAgent: context.outgoing.userAgent,
    pausesSeconds: context.workflowLimits.pausesSeconds,
  });
  context.metrics.holdsBytes('steps', workflowTask.bytes);
  const worker = new JobWorker({
    connection,
    pool: database.jobs,
    tasks: {
      [scheduled.of(reference)!.job]: new ReferenceTask(context, referencing, reports),
      [scheduled.of(payment)!.job]: new StepTask(context, collecting),
      [scheduled.of(workflowRun)!.job]: workflowTask,
      ...(emailTask && { [scheduled.of(email)!.job]: emailTask }),
    },
    isPassing,
    log,
  });
  worker.start();
  context.workflowFollower?.start();
  return {
    async stop() {
      await context.workflowFollower?.stop();
      const stopped = worker.stop();
      await Promise.race([stopped, delay(callsEndMs, undefined, { ref: false })]);
      sender?.close();
      poster.interrupt();
      await Promise.all(clients.map((client) => client.close()));
      await stopped;
      await poster.close();
      await Promise.all([printer.stop(), simulators.stop(), gateway?.stop()]);
    },
  };
}
