import { useState, type ReactNode } from 'react';
import type { Event } from 'tenure';
import { Details, ErrorState, ExactTime, Id, JsonDiff, JsonViewer, Select, Skeleton, Tabs } from '@tenure/ui';
import { eventRead } from '../../api/reads.ts';
import { defineRead, shownError, useRead } from '../../api/requests.ts';
import { useSession, useUser } from '../../api/session.ts';
import { eventRoute } from '../../routes.tsx';
import { LinkedId } from '../../shell/linked-id.tsx';
import { DetailPage, Section } from '../../shell/page.tsx';
import { useSteadyRows } from '../../shell/steady-rows.ts';
import deliveryStyles from '../deliveries/deliveries.module.css';
import { DeliveryCard, refreshOf } from '../deliveries/delivery-card.tsx';
import { ResendToEndpoint } from '../deliveries/resend-dialog.tsx';
import { ActorName, idOf } from './event-list.tsx';
import styles from './events.module.css';

/** One event: what changed, by which request, and its deliveries. */
export function EventPage(): ReactNode {
  const { id } = eventRoute.useParams();
  const { permissions } = useUser();
  const query = useRead(eventRead, { id });
  return (
    <DetailPage
      id={id}
      noun="Event"
      parent={{ href: '/events', name: 'Events' }}
      query={query}
      subtitle={({ type }) => type}
    >
      {(event) => (
        <>
          <Facts event={event} />
          <Section title="Data">
            <EventData event={event} />
          </Section>
          {permissions.includes('webhook_endpoints.read') && (
            <Section title="Deliveries" actions={<ResendToEndpoint event={event} />}>
              <Deliveries event={event} />
            </Section>
          )}
        </>
      )}
    </DetailPage>
  );
}

function Facts({ event }: { event: Event }): ReactNode {
  const { request, created, data } = event;
  const objectId = idOf(data.object);
  return (
    <Details
      items={[
        ['Time', <ExactTime key="time" at={created} />],
        ['Object', <LinkedId key="object" id={objectId} />],
        ['Actor', <ActorName key="actor" request={request} />],
        ['Request', request.id === null ? null : <LinkedId key="request" id={request.id} />],
        ['Idempotency key', request.idempotency_key === null ? null : <Id key="key" id={request.idempotency_key} />],
      ]}
    />
  );
}

/** The record as JSON, what changed in it, and the event as another version shows it. */
function EventData({ event }: { event: Event }): ReactNode {
  const { object, previous_attributes: previous } = event.data;
  const [tab, setTab] = useState(previous === null ? 'json' : 'changes');
  return (
    <Tabs
      label="Data of the event"
      selected={tab}
      onSelect={setTab}
      tabs={[
        ...(previous === null
          ? []
          : [
              {
                id: 'changes',
                title: 'Before → after',
                content: (
                  <JsonDiff title="Changed members" before={previous} after={membersOf(object, previous) as object} />
                ),
              },
            ]),
        { id: 'json', title: 'JSON', content: <JsonViewer title="Event" value={event} /> },
        { id: 'versions', title: 'Compare versions', content: <VersionComparison id={event.id} /> },
      ]}
    />
  );
}

/** Returns the members of a record that a set of earlier values names, so that both can be compared. */
function membersOf(record: unknown, earlier: unknown): unknown {
  if (!isObject(record) || !isObject(earlier)) return record;
  return Object.fromEntries(
    Object.keys(earlier)
      .filter((name) => Object.hasOwn(record, name))
      .map((name) => [name, membersOf(record[name], earlier[name])]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Shows the event in two API versions, side by side. */
function VersionComparison({ id }: { id: string }): ReactNode {
  const { versions } = useSession();
  const [chosen, setChosen] = useState<readonly [string, string]>([
    versions.newest,
    versions.all.find((version) => version !== versions.newest) ?? versions.newest,
  ]);
  return (
    <div className={styles.versions}>
      {([0, 1] as const).map((side) => (
        <div key={side} className={styles.version}>
          <Select
            label={side === 0 ? 'First version' : 'Second version'}
            choices={versions.all.map((version) => ({ id: version, name: version }))}
            value={chosen[side]}
            onChange={(version) => setChosen(side === 0 ? [version, chosen[1]] : [chosen[0], version])}
          />
          <EventInVersion id={id} version={chosen[side]} />
        </div>
      ))}
    </div>
  );
}

function EventInVersion({ id, version }: { id: string; version: string }): ReactNode {
  const { data, error, refetch } = useRead(eventRead, { id, version });
  if (error) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton rows={8} /> : <JsonViewer title={`In ${version}`} value={data} />;
}

/** The deliveries of the event to all endpoints, the newest first. */
function Deliveries({ event }: { event: Event }): ReactNode {
  const { clock } = useSession();
  const { data, error, refetch } = useRead(
    deliveriesRead,
    { event: event.id },
    { refreshMs: ({ data: deliveries }) => refreshOf(deliveries, Date.now() / 1000 + clock.ahead_seconds) },
  );
  const steady = useSteadyRows((data?.data ?? []).map(({ id }) => id));
  if (error) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  if (data.count === 0) {
    return <p>No endpoint got this event: none had subscribed to its type. You can still send it to one.</p>;
  }
  return (
    <>
      <div className={deliveryStyles.list} {...steady}>
        {data.data.map((delivery) => (
          <DeliveryCard key={delivery.id} delivery={delivery} isOpenAtFirst={data.count <= 3}>
            to <LinkedId id={delivery.webhook_endpoint} />
          </DeliveryCard>
        ))}
      </div>
      {data.has_more && <p>The newest {deliveriesMax} deliveries are shown. The pages of the endpoints have all.</p>}
    </>
  );
}

const deliveriesMax = 50;

const deliveriesRead = defineRead((tenure, { event }: { event: string }, options) =>
  tenure.events.listDeliveries(event, { limit: deliveriesMax }, options).page(),
);
