import type { ReactNode } from 'react';
import type { Log } from 'tenure';
import {
  CodeBlock,
  CopyButton,
  Details,
  ErrorState,
  ExactTime,
  Id,
  JsonViewer,
  Link,
  Skeleton,
  Table,
  Time,
} from '@tenure/ui';
import { useAccountId } from '../../api/client.ts';
import { eventRead } from '../../api/reads.ts';
import { defineRead, shownError, useRead } from '../../api/requests.ts';
import { curlOfLog } from '../../curl.ts';
import { apiUrl } from '../../base-url.ts';
import { logRoute } from '../../routes.tsx';
import { LinkedId } from '../../shell/linked-id.tsx';
import { DetailPage, Section } from '../../shell/page.tsx';
import { KeyName } from '../api-keys/key-name.tsx';
import { Caller, RequestLine } from './log-parts.tsx';
import styles from './logs.module.css';

const logRead = defineRead((tenure, { id }: { id: string }, options) => tenure.logs.retrieve(id, {}, options));

/** One request: both bodies, its replays, and the events that it caused. */
export function LogPage(): ReactNode {
  const { id } = logRoute.useParams();
  const account = useAccountId();
  const query = useRead(logRead, { id });
  return (
    <DetailPage
      id={id}
      noun="Request"
      parent={{ href: '/logs', name: 'Logs' }}
      query={query}
      subtitle={(log) => <RequestLine {...log} />}
      actions={(log) =>
        // A key cannot sign in.
        !log.path.startsWith('/auth/') && (
          <CopyButton text={curlOfLog(log, account)} label="Copy as curl">
            Copy as curl
          </CopyButton>
        )
      }
    >
      {(log) => (
        <>
          <Facts log={log} />
          <div className={styles.bodies}>
            <Section title="Request">
              <Body title="Request body" text={log.request_body} />
            </Section>
            <Section title="Response">
              <Body title="Response body" text={log.response_body} />
            </Section>
          </div>
          <Section title="Events">
            <Events ids={log.events} isReplay={log.original_request !== null} />
          </Section>
          {log.idempotency_key !== null && log.original_request === null && (
            <Section title="Replays">
              <Replays id={log.id} idempotencyKey={log.idempotency_key} />
            </Section>
          )}
        </>
      )}
    </DetailPage>
  );
}

function Facts({ log }: { log: Log }): ReactNode {
  const { error, idempotency_key: idempotencyKey, original_request: original, key_id: key, user_email: email } = log;
  return (
    <Details
      items={[
        ['Time', <ExactTime key="time" at={log.created} />],
        ['Duration', `${log.duration_ms.toLocaleString()} ms`],
        ...(error === null ? [] : [['Error', <ErrorCode key="error" error={error} />] as const]),
        ...(log.url === log.path ? [] : [['URL', <code key="url">{log.url}</code>] as const]),
        ['Version', log.api_version],
        [
          email === null && key !== null ? 'API key' : 'Person',
          key === null ? <Caller key="caller" log={log} /> : <CallingKey key="key" id={key} />,
        ],
        ['Source', log.source],
        ['Idempotency key', idempotencyKey === null ? null : <Id key="idempotency" id={idempotencyKey} />],
        ...(original === null
          ? []
          : [
              [
                'Replay of',
                <span key="original">
                  <LinkedId id={original} /> – this response was stored then, and nothing was carried out.
                </span>,
              ] as const,
            ]),
        ['IP address', log.ip_address],
        ['User agent', log.user_agent],
      ]}
    />
  );
}

/** The name of the key, and its id with a link. */
function CallingKey({ id }: { id: string }): ReactNode {
  return (
    <>
      <KeyName id={id} /> <LinkedId id={id} />
    </>
  );
}

function ErrorCode({ error: { code, param } }: { error: NonNullable<Log['error']> }): ReactNode {
  return (
    <>
      <Link href={`${apiUrl}/docs/errors/${code}`}>{code}</Link>
      {param !== undefined && (
        <>
          {' '}
          at <code>{param}</code>
        </>
      )}
    </>
  );
}

/** A body as JSON if it is JSON, else as its text. */
function Body({ title, text }: { title: string; text: string | null }): ReactNode {
  if (text === null) return <p className={styles.note}>There was none, or it is not kept.</p>;
  const json = jsonOf(text);
  return json ? <JsonViewer title={title} value={json.value} /> : <CodeBlock title={title} text={text} />;
}

function jsonOf(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** How many events are read for their types. Others are shown by their ids. */
const readEventsMax = 10;

function Events({ ids, isReplay }: { ids: readonly string[]; isReplay: boolean }): ReactNode {
  if (ids.length === 0) {
    return (
      <p className={styles.note}>
        {isReplay ? 'A replay causes none. Its original has them.' : 'The request changed nothing, so it caused none.'}
      </p>
    );
  }
  return (
    <ul className={styles.events}>
      {ids.map((id, index) => (
        <li key={id}>
          {index < readEventsMax && <EventType id={id} />}
          <LinkedId id={id} />
        </li>
      ))}
    </ul>
  );
}

function EventType({ id }: { id: string }): ReactNode {
  const { data } = useRead(eventRead, { id });
  return <span className={styles.eventType}>{data?.type ?? '…'}</span>;
}

/** Reads the newest requests with an idempotency key. */
const repeatsRead = defineRead((tenure, { idempotencyKey }: { idempotencyKey: string }, options) =>
  tenure.logs.list({ idempotency_key: idempotencyKey, limit: 50 }, options),
);

function Replays({ id, idempotencyKey }: { id: string; idempotencyKey: string }): ReactNode {
  const { data, error, refetch } = useRead(repeatsRead, { idempotencyKey });
  if (error) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={2} />;
  const replays = data.data.filter((log) => log.original_request === id);
  if (replays.length === 0) {
    return <p className={styles.note}>No later request repeated this Idempotency-Key and got this response.</p>;
  }
  return (
    <Table
      label="Replays"
      rows={replays}
      hrefOf={(log) => `/logs/${log.id}`}
      columns={[
        { title: 'Request', cell: (log) => <code>{log.id}</code> },
        { title: 'By', cell: (log) => <Caller log={log} /> },
        { title: 'Time', align: 'end', cell: ({ created }) => <Time at={created} /> },
      ]}
    />
  );
}
