import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { operations, type WebhookEndpoint } from 'tenure';
import { Badge, CodeBlock, Icon } from '@tenure/ui';
import { useRefusal } from '../../api/session.ts';
import { curlOf } from '../../curl.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { webhookListRoute } from '../../routes.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { useOpenedByHash } from '../../shell/opened-by-hash.ts';
import { CreateEndpointDialog } from './endpoint-form.tsx';
import { FailingCell, LatencyCell, PendingCell, SuccessBar } from './endpoint-health.tsx';
import styles from './webhooks.module.css';

const endpointList: ListDefinition<WebhookEndpoint, never> = {
  title: 'Webhooks',
  noun: 'endpoints',
  // Each row makes up to three requests, and a session may make 20 a second.
  pageSize: 10,
  load: (tenure, params, options) => tenure.webhookEndpoints.list(params, options),
  hrefOf: ({ id }) => `/webhooks/${id}`,
  columns: [
    {
      title: 'Endpoint',
      cell: ({ url, description }) => (
        <span className={styles.name}>
          <span>{url}</span>
          {description !== null && <span className={styles.quiet}>{description}</span>}
        </span>
      ),
    },
    { title: 'Status', cell: ({ status }) => <EndpointStatus status={status} /> },
    { title: 'Success in 24 h', cell: ({ id }) => <SuccessBar id={id} /> },
    { title: 'p50 / p95', align: 'end', cell: ({ id }) => <LatencyCell id={id} /> },
    { title: 'Pending', align: 'end', cell: ({ id }) => <PendingCell id={id} /> },
    { title: 'Failing since', align: 'end', cell: ({ id }) => <FailingCell id={id} /> },
  ],
  filters: [],
  empty: {
    title: 'No webhook endpoints yet',
    text: 'An endpoint is a URL of yours. Tenure sends each event there within milliseconds, signed, and retries for three days.',
    curl: curlOf(operations.webhookEndpoints.create, {
      body: { url: 'https://example.org/tenure/webhooks', enabled_events: ['reference.*'] },
    }),
    others: (
      <CodeBlock
        title="Or forward events to your machine, without an endpoint"
        text="npx tenure listen --forward-to http://localhost:3000/webhooks"
      />
    ),
  },
};

/** The list of webhook endpoints, with how each has done of late. */
export function EndpointListPage(): ReactNode {
  const creating = useOpenedByHash('create');
  const navigate = useNavigate();
  const write = useRefusal('webhook_endpoints.write');
  const read = useRefusal('events.read');
  const create = (
    <GatedButton isInGroup look="primary" refusal={write ?? read} onPress={creating.open}>
      <Icon name="plus" size={14} />
      Create endpoint
    </GatedButton>
  );
  return (
    <>
      <ListPage list={endpointList} search={webhookListRoute.useSearch()} actions={create} />
      {(write ?? read) === null && creating.isOpen && (
        <CreateEndpointDialog
          onClose={creating.close}
          onDone={(id) => void navigate({ to: '/webhooks/$id', params: { id } })}
        />
      )}
    </>
  );
}

export function EndpointStatus({ status }: { status: string }): ReactNode {
  return <Badge tone={status === 'enabled' ? 'good' : 'warning'}>{status}</Badge>;
}
