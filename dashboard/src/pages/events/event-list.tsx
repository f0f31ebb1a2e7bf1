import { useMemo, type ReactNode } from 'react';
import { operations, type Event } from 'tenure';
import { Badge, Time } from '@tenure/ui';
import { curlOf } from '../../curl.ts';
import type { LiveSource } from '../../api/live.ts';
import { withChoices } from '../../list/filter-field.tsx';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import type { ListSearch } from '../../list/list-search.ts';
import { timeFilters, withCreated, type TimeFilter } from '../../list/time-filters.ts';
import { eventListRoute } from '../../routes.tsx';
import { KeyName, useKeyChoices } from '../api-keys/key-name.tsx';
import { eventPatterns } from '../webhooks/event-choice.tsx';

type EventFilter = TimeFilter | 'type' | 'object_id' | 'related_object' | 'actor';

const baseList: ListDefinition<Event, EventFilter> = {
  title: 'Events',
  noun: 'events',
  load: (tenure, params, options) => tenure.events.list(withCreated(params), options),
  hrefOf: ({ id }) => `/events/${id}`,
  columns: [
    { title: 'Type', cell: ({ type }) => type },
    { title: 'Object', cell: ({ data }) => <code>{idOf(data.object)}</code> },
    { title: 'Actor', cell: ({ request }) => <ActorName request={request} /> },
    { title: 'Time', align: 'end', cell: ({ created }) => <Time at={created} /> },
  ],
  filters: [
    {
      name: 'type',
      label: 'Type',
      placeholder: 'e.g. reference.*',
      choices: eventPatterns.map((type) => ({ id: type, name: type })),
    },
    { name: 'object_id', label: 'Object', placeholder: 'e.g. ref_…' },
    { name: 'related_object', label: 'Related to', placeholder: 'e.g. app_…' },
    { name: 'actor', label: 'Actor', placeholder: 'e.g. key_…' },
    ...timeFilters,
  ],
  empty: {
    title: 'No events yet',
    text: 'Every change of a record makes an event, with the record as it was then. Create a customer, and its event appears here.',
    curl: curlOf(operations.customers.create, { body: { name: 'Ada Example', email: 'ada@example.com' } }),
  },
  live: (search) => (search.until === undefined ? newEvents(search) : null),
};

/** The list of events. */
export function EventListPage(): ReactNode {
  const keys = useKeyChoices();
  const list = useMemo(() => withChoices(baseList, { actor: keys }), [keys]);
  return <ListPage list={list} search={eventListRoute.useSearch()} />;
}

/** Follows the events that fit the filters. The stream filters by type, and this does the rest. */
function newEvents(search: ListSearch<EventFilter>): LiveSource {
  return async function* (tenure, signal) {
    for await (const event of tenure.events.stream({ ...(search.type && { type: search.type }) }, { signal })) {
      const { object_id: objectId, related_object: related, actor } = search;
      const told = event.request.actor;
      if (objectId !== undefined && idOf(event.data.object) !== objectId) continue;
      if (related !== undefined && !JSON.stringify(event.data).includes(`"${related}"`)) continue;
      if (actor !== undefined && told?.type !== actor && told?.id !== actor) continue;
      yield event;
    }
  };
}

/** The party that caused an event. */
export function ActorName({ request }: { request: Event['request'] }): ReactNode {
  const { actor } = request;
  if (actor === null) return '–';
  if (actor.type === 'system') return <Badge>system</Badge>;
  return (
    <span>
      {actor.name ?? (actor.key_id === null ? actor.id : <KeyName id={actor.key_id} />)}{' '}
      {actor.type === 'agent' && <Badge>agent</Badge>}
    </span>
  );
}

/** Returns the id of an event's record. */
export function idOf(object: object): string {
  return 'id' in object && typeof object.id === 'string' ? object.id : '–';
}
