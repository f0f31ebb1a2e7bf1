import { useState, type ReactNode } from 'react';
import type { RequestOptions, Tenure, WebhookEndpoint } from 'tenure';
import { Actions, Button, CodeBlock, ConfirmDialog, Dialog, ErrorState } from '@tenure/ui';
import { ask, askToConfirm } from '../../api/ask.ts';
import { shownError, useWrite } from '../../api/requests.ts';
import styles from './webhooks.module.css';

/** A secret that was just made, and what a receiver does with it. */
export function NewSecret({ secret, version }: { secret: string; version: string }): ReactNode {
  return (
    <>
      <CodeBlock title="Signing secret" text={secret} />
      <p className={styles.quiet}>
        Store it where your receiver reads its settings, such as in <code>SIGNING_SECRET</code>. You can reveal it here
        again.
      </p>
      <VerifySnippet version={version} />
    </>
  );
}

/** The code of a receiver that verifies each delivery. */
export function VerifySnippet({ version }: { version: string }): ReactNode {
  return (
    <CodeBlock
      title="Verify in your receiver (npm install tenure)"
      text={`import { constructEvent } from 'tenure/webhooks';

// A handler of Hono, Next.js, Bun, Deno or Workers. With Express, use express.raw().
export async function POST(request) {
  let event;
  try {
    event = await constructEvent(
      await request.text(), // the body as it arrived, before any parser
      request.headers.get('service-signature'),
      process.env.SIGNING_SECRET,
      { apiVersion: '${version}' },
    );
  } catch {
    return new Response('wrong signature', { status: 400 });
  }
  // Store event.id: an event can arrive twice, and out of order.
  if (event.type === 'reference.completed') console.log(event.data.object.outcome);
  return new Response(null, { status: 204 }); // within 15 seconds
}`}
    />
  );
}

/** Shows the secret of an endpoint. It is kept only while the dialog is open. */
export function RevealSecretDialog({ secret, onClose }: { secret: string; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Signing secret" isOpen onClose={onClose}>
      <CodeBlock title="Signing secret" text={secret} />
      <p className={styles.quiet}>
        Deliveries can be forged with this secret. Do not put it into a chat or a repository.
      </p>
      <Actions>
        <Button look="primary" onPress={onClose}>
          Hide
        </Button>
      </Actions>
    </Dialog>
  );
}

/**
 * Reads the secret of an endpoint. The server leaves it out until the person has confirmed that it is them.
 *
 * @returns null if the person did not confirm.
 */
export async function readSecret(tenure: Tenure, id: string, options: RequestOptions): Promise<string | null> {
  for (;;) {
    const endpoint = await ask(() => tenure.webhookEndpoints.retrieve(id, {}, options));
    if ('signing_secret' in endpoint) return endpoint.signing_secret;
    if (!(await askToConfirm())) return null;
  }
}

/** Replaces the secret after a question, and shows the new one. */
export function RollSecretDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }): ReactNode {
  const [secret, setSecret] = useState<string | null>(null);
  const rolling = useWrite((tenure, id: string, options) => tenure.webhookEndpoints.rollSecret(id, {}, options), {
    onDone: (rolled) => setSecret(rolled.signing_secret),
  });
  if (secret !== null) {
    return (
      <Dialog title="New signing secret" isOpen isWide>
        <p>The old secret is void. Give the new one to your receiver now: until then, it refuses deliveries.</p>
        <CodeBlock title="Signing secret" text={secret} />
        <p className={styles.quiet}>Tenure retries what your receiver refuses meanwhile.</p>
        <Actions>
          <Button look="primary" onPress={onClose}>
            Done
          </Button>
        </Actions>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      title={`Roll the secret of ${endpoint.id}?`}
      isOpen
      confirmText="Roll secret"
      isPending={rolling.isPending}
      onCancel={onClose}
      onConfirm={() => rolling.mutate(endpoint.id)}
    >
      <p>
        <strong>The old secret is void at once.</strong> Deliveries to <code>{endpoint.url}</code> are signed with the
        new one from then on. Your receiver refuses them until it has the new secret.
      </p>
      {rolling.error !== null && <ErrorState error={shownError(rolling.error)} />}
    </ConfirmDialog>
  );
}
