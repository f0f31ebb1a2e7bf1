import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ButtonLink, Details, ExactTime, JsonViewer } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { useUser } from '../../api/session.ts';
import { recordRoute } from '../../routes.tsx';
import { DetailPage, Section } from '../../shell/page.tsx';
import { prefixOf, type PrefixWithoutPage } from '../../shell/navigation.ts';
import { NotFoundPage } from '../not-found.tsx';
import { recordKinds } from './record-kinds.ts';

/** A record of any kind as JSON. A kind with a page of its own is shown there. */
export function RecordPage(): ReactNode {
  const { id } = recordRoute.useParams();
  const prefix = prefixOf(id);
  if (prefix === 'acct') return <AccountOfId id={id} />;
  return prefix !== null && hasKind(prefix) ? <Record id={id} prefix={prefix} /> : <NotFoundPage />;
}

function hasKind(prefix: string): prefix is PrefixWithoutPage {
  return Object.hasOwn(recordKinds, prefix);
}

/** The id of the own account leads to its settings, and that of a connected account to its start page. */
function AccountOfId({ id }: { id: string }): ReactNode {
  const { account } = useUser();
  if (id === account.id) return <Navigate to="/settings" search={{}} replace />;
  return <Navigate to="/" search={{ account: id }} replace />;
}

const recordRead = defineRead((tenure, { id, prefix }: { id: string; prefix: PrefixWithoutPage }, options) =>
  recordKinds[prefix].load(tenure, id, options),
);

function Record({ id, prefix }: { id: string; prefix: PrefixWithoutPage }): ReactNode {
  const { permissions } = useUser();
  const { noun } = recordKinds[prefix];
  const query = useRead(recordRead, { id, prefix });
  return (
    <DetailPage
      id={id}
      noun={noun}
      parent={{ href: '/', name: 'Home' }}
      query={query}
      subtitle={() => noun}
      actions={() =>
        permissions.includes('events.read') && <ButtonLink href={`/events?object_id=${id}`}>Events</ButtonLink>
      }
    >
      {(record) => (
        <>
          <Facts record={record} />
          <Section title="Data">
            <JsonViewer title={noun} value={record} />
          </Section>
        </>
      )}
    </DetailPage>
  );
}

function Facts({ record }: { record: { created?: unknown; status?: unknown } }): ReactNode {
  const { created, status } = record;
  return (
    <Details
      items={[
        ...(typeof status === 'string' ? [['Status', status] as const] : []),
        ['Created', typeof created === 'number' ? <ExactTime key="created" at={created} /> : null],
      ]}
    />
  );
}
