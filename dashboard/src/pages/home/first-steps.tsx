import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { operations, type RequestOptions, type Tenure } from 'tenure';
import { Button, CodeBlock, Icon, Link } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { useSession } from '../../api/session.ts';
import { curlOf } from '../../curl.ts';
import { apiUrl } from '../../base-url.ts';
import { setPreferences } from '../../preferences.ts';
import { CurlBlock } from '../../shell/curl-block.tsx';
import { Section } from '../../shell/page.tsx';
import styles from './home.module.css';

interface Done {
  key: boolean;
  reference: boolean;
  endpoint: boolean;
  delivery: boolean;
  cli: boolean;
}

const steps: { id: keyof Done; title: string; how: ReactNode }[] = [
  {
    id: 'key',
    title: 'Use an API key',
    how: (
      <>
        <p>
          <Link href="/api-keys/new">Create a key</Link>, and store it in <code>TENURE_API_KEY</code>.
        </p>
        <CurlBlock title="List references" text={curlOf(operations.references.list)} />
      </>
    ),
  },
  {
    id: 'reference',
    title: 'Create a reference',
    how: (
      <CurlBlock
        title="Create a reference"
        text={curlOf(operations.references.create, { body: { application: 'app_1' } })}
      />
    ),
  },
  {
    id: 'endpoint',
    title: 'Add a webhook endpoint',
    how: (
      <p>
        Add one in <Link href="/webhooks">Webhooks</Link>. Events then come to your server.
      </p>
    ),
  },
  {
    id: 'delivery',
    title: 'Receive an event',
    how: (
      <p>
        Your endpoint answers with a status of 2xx. The attempts stand below each of the{' '}
        <Link href="/events">events</Link>.
      </p>
    ),
  },
  {
    id: 'cli',
    title: 'Use the command line',
    how: (
      <CodeBlock
        title="Cause an event"
        text={`npx tenure login --api-key - --base-url ${apiUrl}\nnpx tenure trigger reference.completed`}
      />
    ),
  },
];

const doneRead = defineRead(readDone);

/** Reads which of the first steps are done. */
export function useDone({ isOn }: { isOn: boolean }): UseQueryResult<Done> {
  const { clock } = useSession();
  return useRead(doneRead, { aheadSeconds: clock.ahead_seconds }, { isOn });
}

/** What is left to do after the installation, from real data. It goes away when all is done. */
export function FirstSteps({ done }: { done: Done }): ReactNode {
  const open = steps.filter(({ id }) => !done[id]);
  if (open.length === 0) return null;
  return (
    <Section
      title="First steps"
      actions={
        <Button look="plain" isSmall onPress={() => setPreferences({ hasFirstSteps: false })}>
          Hide these steps
        </Button>
      }
    >
      <ol className={styles.steps}>
        {steps.map(({ id, title, how }) => (
          <li key={id} className={styles.step} data-done={done[id]}>
            <span className={styles.mark}>{done[id] && <Icon name="check" size={12} />}</span>
            <div>
              <h3>
                {title}
                {done[id] && <span className={styles.done}> done</span>}
              </h3>
              {/* One explanation at a time. */}
              {id === open[0]!.id && how}
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** How long the counts of activity by the day are kept, in seconds. */
const keptSeconds = 89 * 86_400;

async function readDone(
  tenure: Tenure,
  { aheadSeconds }: { aheadSeconds: number },
  options: RequestOptions,
): Promise<Done> {
  const since = Math.floor(Date.now() / 1000) + aheadSeconds - keptSeconds;
  const [keys, references, endpoints, activity, logs] = await Promise.all([
    tenure.apiKeys.list({ limit: 50 }, options),
    tenure.references.list({ limit: 1 }, options),
    tenure.webhookEndpoints.list({ limit: 1 }, options),
    tenure.activity.retrieve({ interval: 'day', since }, options),
    tenure.logs.list({ limit: 50 }, options),
  ]);
  return {
    key: keys.data.some((key) => key.last_used_at !== null),
    reference: references.count > 0,
    endpoint: endpoints.count > 0,
    delivery: activity.data.some(({ attempts }) => attempts.delivered > 0),
    cli: logs.data.some((log) => log.user_agent?.startsWith('tenure-cli/')),
  };
}
