import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiKey, RequestOptions, Tenure, WebhookEndpoint } from 'tenure';
import { Badge, ErrorState, Link, Time } from '@tenure/ui';
import { useWaitingApprovals } from '../../api/reads.ts';
import { defineRead, shownError, useRead } from '../../api/requests.ts';
import { useSession, useUser } from '../../api/session.ts';
import { pathOfId } from '../../shell/navigation.ts';
import { Section } from '../../shell/page.tsx';
import { idOf } from '../events/event-list.tsx';
import { readFailing } from '../webhooks/endpoint-health.tsx';
import styles from './home.module.css';

/** Something that a person should look at. */
interface Concern {
  id: string;
  tone: 'bad' | 'warning';
  /** The state in a word, such as "failing". */
  state: string;
  /** The thing, such as the URL of an endpoint. */
  title: string;
  href: string;
  text: ReactNode;
}

/** Reads what a person should look at, as far as their role may read it. */
export function useConcerns(): UseQueryResult<Concern[]> {
  const { permissions } = useUser();
  const { clock } = useSession();
  return useRead(concernsRead, { permissions, aheadSeconds: clock.ahead_seconds }, { refreshMs: () => 60_000 });
}

const concernsRead = defineRead(
  async (
    tenure,
    { permissions, aheadSeconds }: { permissions: readonly string[]; aheadSeconds: number },
    options,
  ): Promise<Concern[]> => {
    const now = Math.floor(Date.now() / 1000) + aheadSeconds;
    const readers: [permission: string, read: Reader][] = [
      ['webhook_endpoints.read', endpointConcerns],
      ['references.read', referenceConcerns],
      ['accounts.read', accountConcerns],
      ['api_keys.read', keyConcerns],
    ];
    const allowed = readers.filter(([permission]) => permissions.includes(permission));
    return (await Promise.all(allowed.map(([, read]) => read(tenure, now, options)))).flat();
  },
);

/** Lists what a person should look at. What waits for their decision comes first. */
export function Attention({ concerns }: { concerns: UseQueryResult<Concern[]> }): ReactNode {
  const { error, refetch } = concerns;
  const waiting = useWaitingApprovals().data;
  const data = concerns.data && [...approvalConcerns(waiting), ...concerns.data];
  return (
    <Section title="Needs attention">
      {error !== null && <ErrorState error={shownError(error)} onRetry={() => void refetch()} />}
      {error === null && data?.length === 0 && <p className={styles.note}>Nothing right now.</p>}
      {error === null && data !== undefined && data.length > 0 && (
        <ul className={styles.concerns}>
          {data.map(({ id, tone, state, title, href, text }) => (
            <li key={id}>
              <Badge tone={tone}>{state}</Badge>
              <Link href={href}>{title}</Link>
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function approvalConcerns(waiting: ReturnType<typeof useWaitingApprovals>['data']): Concern[] {
  if (!waiting?.newest) return [];
  const { count, newest } = waiting;
  const about = { id: 'approvals', tone: 'warning' as const, state: 'waiting' };
  if (count === 1) {
    const text = (
      <>
        Asked <Time at={newest.created} />. It waits for your decision.
      </>
    );
    return [{ ...about, title: newest.title, href: `/approvals/${newest.id}`, text }];
  }
  return [
    {
      ...about,
      title: `${count.toLocaleString('en-GB')} approval requests`,
      href: '/approvals?status=pending',
      text: 'Agents and workflows wait for your decision.',
    },
  ];
}

type Reader = (tenure: Tenure, now: number, options: RequestOptions) => Promise<Concern[]>;

/** The most records of a page. Older ones are not looked at. */
const pageSize = 50;

/** For how many endpoints the deliveries are read, one after the other. Each costs a request, and a session may make 20 a second. */
const endpointsMax = 20;

const endpointConcerns: Reader = async (tenure, _, options) => {
  const [{ data: endpoints }, all] = await Promise.all([
    tenure.webhookEndpoints.list({ limit: pageSize }, options),
    tenure.activity.retrieve({ interval: 'hour' }, options),
  ]);
  const disabled = endpoints.filter(({ status }) => status === 'disabled').map(disabledConcern);
  if (all.data.every(({ attempts }) => attempts.failed === 0)) return disabled;
  const failing: Concern[] = [];
  for (const { id, url } of endpoints.filter(({ status }) => status === 'enabled').slice(0, endpointsMax)) {
    const since = await readFailing(tenure, id, options);
    if (since === null) continue;
    const text = (
      <>
        All attempts have failed since {!since.isExact && 'at least '}
        <Time at={since.at} />.
      </>
    );
    failing.push({ id, tone: 'bad', state: 'failing', title: url, href: `/webhooks/${id}`, text });
  }
  return [...failing, ...disabled];
};

function disabledConcern({ id, url, disabled_reason: reason }: WebhookEndpoint): Concern {
  return {
    id,
    tone: reason === null ? 'warning' : 'bad',
    state: 'disabled',
    title: url,
    href: `/webhooks/${id}`,
    text: reason ?? 'It gets no events. Enable it, or delete it if nothing needs it.',
  };
}

const referenceConcerns: Reader = async (tenure, _, options) => {
  const lists = await Promise.all(
    (['pending', 'processing'] as const).map((status) => tenure.references.list({ status, limit: pageSize }, options)),
  );
  return lists
    .flatMap(({ data }) => data)
    .flatMap(({ id, automatic_reference: automatic }): Concern[] => {
      const fault = automatic?.last_error ?? null;
      if (fault === null) return [];
      const text = `${automatic?.provider}: ${fault}`;
      return [{ id, tone: 'bad', state: 'error', title: id, href: pathOfId(id) ?? '/', text }];
    });
};

const accountConcerns: Reader = async (tenure, _, options) => {
  const { rollback_until: until, api_version_previous: previous } = await tenure.account.retrieve({}, options);
  if (until === null) return [];
  const text = (
    <>
      You can roll back to {previous} until <Time at={until} />.
    </>
  );
  return [
    { id: 'rollback', tone: 'warning', state: 'upgraded', title: 'API version', href: '/api-keys#version', text },
  ];
};

const daySeconds = 86_400;
const soonDays = 7;
const unusedDays = 90;

const keyConcerns: Reader = async (tenure, now, options) => {
  const { data } = await tenure.apiKeys.list({ limit: pageSize }, options);
  const active = data.filter(({ status }) => status === 'active');
  const concerns = active.flatMap((key) => concernOf(key, now));
  if (concerns.length === 0) return [];
  const replaced = await readReplaced(tenure, new Set(active.map(({ id }) => id)), options);
  return concerns.filter(({ id }) => !replaced.has(id));
};

/** Returns the keys that were rolled, and whose new key is still active. One request rolls the old key and creates the new one. */
async function readReplaced(
  tenure: Tenure,
  active: ReadonlySet<string>,
  options: RequestOptions,
): Promise<ReadonlySet<string>> {
  const [rolled, created] = await Promise.all(
    (['api_key.rolled', 'api_key.created'] as const).map((type) =>
      tenure.events.list({ type, limit: pageSize }, options),
    ),
  );
  const requests = new Set(
    created!.data.filter(({ data }) => active.has(idOf(data.object))).map(({ request }) => request.id),
  );
  return new Set(rolled!.data.filter(({ request }) => requests.has(request.id)).map(({ data }) => idOf(data.object)));
}

function concernOf(key: ApiKey, now: number): Concern[] {
  const { id, name, last_four: lastFour, expires_at: end, last_used_at: used, created } = key;
  const about = {
    id,
    tone: 'warning' as const,
    title: name ?? `The key that ends with ${lastFour}`,
    href: `/api-keys/${id}`,
  };
  if (end !== null && end - now < soonDays * daySeconds) {
    const text = (
      <>
        The key expires <Time at={end} />.
      </>
    );
    return [{ ...about, state: 'expires', text }];
  }
  if (now - (used ?? created) < unusedDays * daySeconds) return [];
  const text = `No request has used the key for ${unusedDays} days. Revoke it if nothing needs it.`;
  return [{ ...about, state: 'unused', text }];
}
