import type { Clock } from '../core/clock.ts';
import { toSeconds } from '../core/clock.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { WorkflowRunRecord } from '../resources/workflows/run.ts';
import { workflow } from '../resources/workflows/workflow.ts';
import { signatureHeader } from '../webhooks/sign.ts';
import type { Delivered, Reply, Sender } from '../webhooks/sender.ts';
import { openEntry, type StepResult } from './advance.ts';
import type { Step } from './rules/definition.ts';
import { filledIn, textFilledIn, urlFilledIn, type Scope } from './rules/templates.ts';
import { StepFault } from './step-fault.ts';

/** How `http` steps reach other servers. */
export interface Outgoing {
  sender: Pick<Sender, 'post'>;
  userAgent: string;
  /** Seconds between the attempts. There is one attempt more. */
  pausesSeconds: readonly number[];
}

export interface HttpStepContext {
  clock: Clock;
  realClock: Clock;
  encryption: Encryption;
  readRecord: RecordReader;
}

/** Bytes of a body. A webhook has no limit, because its event has one. */
const bodyBytesMax = 256 * 1024;

/** A request of an `http` step, with the number of its attempt. */
export interface StepRequest extends Delivered {
  attempts: number;
}

/**
 * Makes the request of a step, signed like a webhook. It keeps nothing of the scope, because the other server can take 15 seconds.
 *
 * @throws {StepFault} if the request cannot be made.
 */
export async function requestOfStep(
  context: HttpStepContext,
  { userAgent }: Outgoing,
  run: WorkflowRunRecord,
  step: Step,
  scope: Scope,
): Promise<StepRequest> {
  const owner = await context.readRecord(workflow, run.account_id, run.workflow);
  if (!owner) throw new StepFault('workflow_removed', 'The workflow, with the secret that signs, is no longer there.');
  const url = urlFilledIn(step.url!, scope);
  const body = Buffer.from(JSON.stringify(step.body ? filledIn(step.body, scope) : (scope.event as JsonObject)));
  if (body.length > bodyBytesMax)
    throw new StepFault('body_too_large', `The body has ${body.length} bytes. At most ${bodyBytesMax} are sent.`);
  const attempts = (openEntry(run)?.attempts ?? 0) + 1;
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: {
      ...sealedHeaders(context.encryption, run, step, scope),
      'content-type': 'application/json',
      'user-agent': userAgent,
      'service-signature': signatureHeader(
        context.encryption.decrypt(owner.signing_secret),
        toSeconds(context.realClock.nowMs()),
        body,
      ),
      'service-version': run.definition.api_version,
      'service-attempt': String(attempts),
      'idempotency-key': `${run.id}/${step.id}/${run.progress.item}`,
    },
    body,
    attempts,
  };
}

/** Posts the request of a step, guarded like a webhook. The output has the status alone, because a run copies no personal data. */
export async function postStep(
  { clock }: Pick<HttpStepContext, 'clock'>,
  { sender, pausesSeconds }: Outgoing,
  { attempts, ...request }: StepRequest,
): Promise<StepResult> {
  const reply = await sender.post(request);
  // A stop of this process is no answer of the server. The job runs again.
  if (reply.error === 'interrupted') throw new Error('The attempt was interrupted.');
  if (reply.error === null && reply.status !== null && reply.status >= 200 && reply.status < 300)
    return { kind: 'succeeded', output: { status: reply.status } };
  const error = faultOfReply(reply);
  const pauseSeconds = pausesSeconds[attempts - 1];
  if (pauseSeconds === undefined) return { kind: 'failed', error };
  return { kind: 'again', error, atMs: clock.nowMs() + pauseSeconds * 1000 };
}

function faultOfReply({ status, error }: Reply): { code: string; message: string } {
  if (error !== null || status === null)
    return { code: error ?? 'failed', message: 'The server gave no complete response.' };
  return { code: 'response_status', message: `The server responded with the status ${status}. A 2xx was expected.` };
}

function sealedHeaders(
  encryption: Encryption,
  { definition }: WorkflowRunRecord,
  step: Step,
  scope: Scope,
): Record<string, string> {
  const sealed = Object.entries(definition.sealed_headers[step.id] ?? {});
  return Object.fromEntries(
    sealed.map(([name, value]) => {
      const text = textFilledIn(encryption.decrypt(Buffer.from(value, 'base64')), scope);
      if (!/^[\t\x20-\x7e]*$/.test(text))
        throw new StepFault('template_invalid', `The header \`${name}\` has characters that no header can have.`);
      return [name.toLowerCase(), text];
    }),
  );
}
