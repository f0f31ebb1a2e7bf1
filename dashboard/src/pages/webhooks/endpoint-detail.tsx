import { useMemo, useState, type ReactNode } from 'react';
import {
  operations,
  type Delivery,
  type DeliveryStatus,
  type RequestOptions,
  type Tenure,
  type WebhookEndpoint,
} from 'tenure';
import { Details, ErrorState, ExactTime } from '@tenure/ui';
import { useTenure } from '../../api/client.ts';
import { defineRead, shownError, useRead, useReadAgain } from '../../api/requests.ts';
import { useRefusal, useSession } from '../../api/session.ts';
import { curlOf } from '../../curl.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { RecordList } from '../../list/list-page.tsx';
import { webhookRoute } from '../../routes.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { DetailPage, Section } from '../../shell/page.tsx';
import { useSteadyRows } from '../../shell/steady-rows.ts';
import { DeliveryCard, EventLink, refreshOf } from '../deliveries/delivery-card.tsx';
import deliveryStyles from '../deliveries/deliveries.module.css';
import { EndpointActions, PingButton } from './endpoint-actions.tsx';
import { HealthDetails } from './endpoint-health.tsx';
import { EndpointStatus } from './endpoint-list.tsx';
import { Recoveries } from './recoveries.tsx';
import { readSecret, RevealSecretDialog, VerifySnippet } from './secret.tsx';
import styles from './webhooks.module.css';

/** One webhook endpoint: its settings, how it does, its deliveries, and how to verify them. */
export function EndpointPage(): ReactNode {
  const { id } = webhookRoute.useParams();
  // Actions must never show one endpoint and change the one before it.
  return <Endpoint key={id} id={id} />;
}

const endpointRead = defineRead(loadEndpoint);

function Endpoint({ id }: { id: string }): ReactNode {
  const query = useRead(endpointRead, { id });
  return (
    <DetailPage
      id={id}
      noun="Webhook endpoint"
      parent={{ href: '/webhooks', name: 'Webhooks' }}
      query={query}
      subtitle={({ url }) => <span className={styles.url}>{url}</span>}
      actions={(endpoint) => <EndpointActions endpoint={endpoint} />}
    >
      {(endpoint) => (
        <>
          <Facts endpoint={endpoint} />
          <Section title="Last 24 hours">
            <HealthDetails id={id} />
          </Section>
          <Recoveries id={id} />
          <Section title="Deliveries">
            <Deliveries endpoint={endpoint} />
          </Section>
          <Section title="Verify deliveries">
            <VerifySnippet version={endpoint.api_version} />
          </Section>
        </>
      )}
    </DetailPage>
  );
}

/** Reads an endpoint without its secret, which a confirmed person gets, too. It must not stay in the queries of the page. */
async function loadEndpoint(tenure: Tenure, { id }: { id: string }, options: RequestOptions): Promise<WebhookEndpoint> {
  const endpoint = { ...(await tenure.webhookEndpoints.retrieve(id, {}, options)) };
  if ('signing_secret' in endpoint) delete (endpoint as { signing_secret?: string }).signing_secret;
  return endpoint;
}

function Facts({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const { status, disabled_reason: reason, description, enabled_events: events, connected, metadata } = endpoint;
  return (
    <Details
      items={[
        ['Status', <EndpointStatus key="status" status={status} />],
        ...(reason === null ? [] : [['Disabled because', reason] as const]),
        ['Description', description],
        [
          'Events',
          <span key="events">
            <code>{events.join(', ')}</code>
            {connected && ' of connected accounts'}
          </span>,
        ],
        ['Version', endpoint.api_version],
        ['Created', <ExactTime key="created" at={endpoint.created} />],
        ['Signing secret', <Secret key="secret" id={endpoint.id} />],
        ...(Object.keys(metadata).length === 0
          ? []
          : [['Metadata', <code key="metadata">{JSON.stringify(metadata)}</code>] as const]),
      ]}
    />
  );
}

/** The masked secret, with a button that shows it. */
function Secret({ id }: { id: string }): ReactNode {
  const tenure = useTenure();
  const refusal = useRefusal('webhook_endpoints.write');
  // The secret is here only, and only while its dialog is open.
  const [secret, setSecret] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const reveal = (): void => {
    setError(null);
    readSecret(tenure, id, {}).then(setSecret, (reason: Error) => setError(reason));
  };
  return (
    <span className={styles.secret}>
      <code>whsec_••••••••</code>
      <GatedButton isInGroup isSmall refusal={refusal} onPress={reveal}>
        Reveal
      </GatedButton>
      {error !== null && <ErrorState error={shownError(error)} onRetry={reveal} />}
      {secret !== null && <RevealSecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </span>
  );
}

type DeliveryFilter = 'status' | 'type';

function Deliveries({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const search = webhookRoute.useSearch();
  const { clock } = useSession();
  const list = useMemo(() => deliveryList(endpoint, clock.ahead_seconds), [endpoint, clock.ahead_seconds]);
  return (
    <RecordList list={list} search={search}>
      {(deliveries) => <DeliveryCards deliveries={deliveries} />}
    </RecordList>
  );
}

function DeliveryCards({ deliveries }: { deliveries: readonly Delivery[] }): ReactNode {
  // The figures of the endpoint are those of its deliveries.
  useReadAgain(deliveries.map(({ id, status, attempt_count: count }) => `${id} ${status} ${count}`).join());
  const steady = useSteadyRows(deliveries.map(({ id }) => id));
  return (
    <div className={deliveryStyles.list} {...steady}>
      {deliveries.map((delivery) => (
        <DeliveryCard key={delivery.id} delivery={delivery}>
          <EventLink delivery={delivery} />
        </DeliveryCard>
      ))}
    </div>
  );
}

const loadDeliveries: ListDefinition<Delivery, DeliveryFilter>['load'] = (tenure, params, options, id) => {
  const { status, ...others } = params;
  return tenure.webhookEndpoints.listDeliveries(
    id!,
    // The URL may have another word. The API refuses it, and its message says so.
    { ...others, ...(status !== undefined && { status: status as DeliveryStatus }) },
    options,
  );
};

function deliveryList(endpoint: WebhookEndpoint, aheadSeconds: number): ListDefinition<Delivery, DeliveryFilter> {
  const { id, enabled_events: events } = endpoint;
  return {
    title: 'Deliveries',
    noun: 'deliveries',
    parentId: id,
    load: loadDeliveries,
    filters: [
      {
        name: 'status',
        label: 'Status',
        isClosed: true,
        choices: ['pending', 'delivered', 'failed', 'canceled'].map((status) => ({ id: status, name: status })),
      },
      {
        name: 'type',
        label: 'Type',
        placeholder: 'reference.completed',
        choices: events.filter((type) => !type.endsWith('*')).map((type) => ({ id: type, name: type })),
      },
    ],
    refreshMs: (deliveries) => refreshOf(deliveries, Date.now() / 1000 + aheadSeconds),
    empty: {
      title: 'No deliveries yet',
      text: 'A ping sends a test event to this endpoint. It shows whether your receiver answers and verifies.',
      curl: curlOf(operations.webhookEndpoints.ping, { id }),
      action: <PingButton endpoint={endpoint} />,
    },
  };
}
