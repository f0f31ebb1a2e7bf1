import { expect } from 'vitest';
import { allPermissions } from '../support/permissions.ts';
import { good, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, addKey } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

/** What a test writes of a workflow. */
export interface Written {
  name?: string;
  trigger?: object;
  steps: object[];
  permissions?: string[];
}

/** Any record, as a test reads it. */
// oxlint-disable-next-line typescript/no-explicit-any -- Tests look into records freely; what is wrong fails the test.
export type Made = any;

/** An account of its own, with short names for the requests about workflows. */
export class Flows {
  readonly server: TestServer;
  readonly accountId: string;
  readonly api: Api;
  /** The API key of the account, for another process. */
  readonly key: string;

  constructor(server: TestServer, accountId: string, api: Api, key: string) {
    this.server = server;
    this.accountId = accountId;
    this.api = api;
    this.key = key;
  }

  static async on(server: TestServer): Promise<Flows> {
    const { accountId } = await addAccount(server);
    const { api, key } = await addKey(server, accountId, { permissions: allPermissions });
    return new Flows(server, accountId, api, key);
  }

  create({
    name = 'Test',
    trigger = { type: 'customer.created' },
    steps,
    permissions = [],
  }: Written): Promise<ApiResponse> {
    return this.api.post('/v1/workflows', { name, trigger, steps, permissions });
  }

  /** Makes a workflow, and activates it. */
  async active(written: Written): Promise<Made> {
    const { id } = (await good(this.create(written))).body;
    return (await good(this.api.post(`/v1/workflows/${id}/activate`))).body;
  }

  async make(path: string, body: object): Promise<Made> {
    return (await good(this.api.post(`/v1/${path}`, body))).body;
  }

  async runs(query = ''): Promise<Made[]> {
    return (await good(this.api.get(`/v1/workflow_runs?limit=50${query}`))).body.data;
  }

  /** Waits until so many runs of a workflow have ended, and returns them, the newest first. */
  async ended(workflow: { id: string }, count = 1): Promise<Made[]> {
    const isOver = ({ status }: Made): boolean => ['succeeded', 'failed', 'canceled'].includes(status);
    return this.until(workflow, (runs) => runs.length >= count && runs.every(isOver));
  }

  async until(workflow: { id: string }, condition: (runs: Made[]) => boolean): Promise<Made[]> {
    let runs: Made[] = [];
    // oxlint-disable-next-line vitest/no-standalone-expect -- Tests call this function.
    await expect
      .poll(
        async () => {
          runs = await this.runs(`&workflow=${workflow.id}`);
          return condition(runs) ? 'so' : JSON.stringify(runs.map(({ status, steps }) => ({ status, steps })));
        },
        { timeout: waitMs, interval: 20 },
      )
      .toBe('so');
    return runs;
  }
}
