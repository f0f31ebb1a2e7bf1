import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { operations, type ApiKey } from 'tenure';
import { Badge, ButtonLink, Link, Time } from '@tenure/ui';
import { useRefusal, useUser } from '../../api/session.ts';
import { accountRead, membersRead } from '../../api/reads.ts';
import { useRead } from '../../api/requests.ts';
import { curlOf } from '../../curl.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { apiKeyListRoute } from '../../routes.tsx';
import { GatedLink } from '../../shell/gated.tsx';
import styles from './api-keys.module.css';
import { KeyName, nameOfKey } from './key-name.tsx';
import { summaryOf } from './permissions.ts';
import { VersionPage } from './version.tsx';

const keyList: ListDefinition<ApiKey, never> = {
  title: 'API keys',
  noun: 'API keys',
  load: (tenure, params, options) => tenure.apiKeys.list(params, options),
  hrefOf: ({ id }) => `/api-keys/${id}`,
  columns: [
    { title: 'Name', cell: (key) => <span className={styles.nameCell}>{nameOfKey(key)}</span> },
    { title: 'Key', cell: ({ last_four: lastFour }) => <code>…{lastFour}</code> },
    { title: 'Kind', cell: ({ type }) => type },
    { title: 'Status', cell: ({ status }) => <KeyStatus status={status} /> },
    { title: 'Permissions', cell: ({ permissions }) => summaryOf(permissions) },
    { title: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />) },
    { title: 'Expires', cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />) },
    { title: 'Made by', cell: ({ created_by: maker }) => (maker === null ? '–' : <Maker id={maker} />) },
  ],
  filters: [],
  empty: {
    title: 'No API keys yet',
    text: 'A program signs its requests with a key. Create one for each program, with the permissions that it needs.',
    curl: curlOf(operations.apiKeys.create, { body: { type: 'restricted', permissions: ['references.read'] } }),
    action: (
      <ButtonLink look="primary" href="/api-keys/new">
        Create a key
      </ButtonLink>
    ),
  },
};

/** The keys of the account, and its API version at `#version`. */
export function ApiKeysPage(): ReactNode {
  const hash = useLocation({ select: (location) => location.hash });
  return hash === 'version' ? <VersionPage /> : <KeyListPage />;
}

function KeyListPage(): ReactNode {
  const account = useRead(accountRead, {}).data;
  return (
    <ListPage
      list={keyList}
      search={apiKeyListRoute.useSearch()}
      actions={
        <>
          <ButtonLink href="/api-keys#version">API version {account?.api_version}</ButtonLink>
          <GatedLink href="/api-keys/new" refusal={useRefusal('api_keys.write')}>
            Create a key
          </GatedLink>
        </>
      }
    />
  );
}

export function KeyStatus({ status }: Pick<ApiKey, 'status'>): ReactNode {
  return <Badge tone={status === 'active' ? 'good' : 'neutral'}>{status}</Badge>;
}

/** The person or the key that made a key. All rows share one request for the members. Without an e-mail, the id remains. */
export function Maker({ id }: { id: string }): ReactNode {
  const { permissions } = useUser();
  const isUser = id.startsWith('usr_');
  const isOn = isUser && permissions.includes('users.read');
  const email = useRead(membersRead, {}, { isOn }).data?.find((user) => user.id === id)?.email;
  if (email !== undefined) return email;
  if (isUser) return <code>{id}</code>;
  return (
    <Link href={`/api-keys/${id}`}>
      <KeyName id={id} />
    </Link>
  );
}
