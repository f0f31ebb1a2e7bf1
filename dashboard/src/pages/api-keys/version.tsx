import { useState, type ReactNode } from 'react';
import type { Account } from 'tenure';
import { Badge, ButtonLink, ConfirmDialog, Details, ErrorState, ExactTime, Prose, Skeleton, toast } from '@tenure/ui';
import { accountRead } from '../../api/reads.ts';
import { defineRead, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { durationOf } from '../../shell/duration.ts';
import { GatedButton } from '../../shell/gated.tsx';
import { useNow } from '../../shell/now.ts';
import { Page, Section } from '../../shell/page.tsx';
import pageStyles from '../../shell/page.module.css';
import styles from './api-keys.module.css';

/** The API version of the account, what changed since, and the way back from an upgrade. */
export function VersionPage(): ReactNode {
  const { data: account, error, refetch } = useRead(accountRead, {});
  return (
    <Page title="API version" parent={{ href: '/api-keys', name: 'API keys' }}>
      {error !== null && <ErrorState error={shownError(error)} onRetry={() => void refetch()} />}
      {error === null && account === undefined && <Skeleton rows={8} />}
      {account !== undefined && (
        <div className={pageStyles.sections}>
          <p className={pageStyles.quiet}>
            An account stays on its version until you upgrade it. A request can name another one in{' '}
            <code>Service-Version</code>. Webhook endpoints keep their own versions.
          </p>
          <Pin account={account} />
          <Section title="Versions">
            <Versions account={account} />
          </Section>
        </div>
      )}
    </Page>
  );
}

function Pin({ account }: { account: Account }): ReactNode {
  const { api_version: version, api_version_previous: previous, rollback_until: until } = account;
  return (
    <Details
      items={[
        ['Version', version ?? 'None yet: the first request of a key pins the newest'],
        ...(previous === null ? [] : [['Before the last upgrade', previous] as const]),
        ...(previous === null || until === null
          ? []
          : [['Roll back', <RollBack key="until" from={version!} to={previous} until={until} />] as const]),
      ]}
    />
  );
}

function RollBack({ from, to, until }: { from: string; to: string; until: number }): ReactNode {
  const refusal = useRefusal('accounts.write');
  const left = until - useNow(30_000);
  const [isOpen, setOpen] = useState(false);
  const rolling = useWrite((tenure, _: string, options) => tenure.account.apiVersionRollback({}, options), {
    onDone: () => {
      setOpen(false);
      toast(`The account is at ${to} again`);
    },
  });
  return (
    <span className={styles.rollBack}>
      <Badge tone="warning">{left > 0 ? `${durationOf(left)} left` : 'too late'}</Badge>
      <span>
        until <ExactTime at={until} />
      </span>
      <GatedButton isSmall refusal={refusal} isDisabled={left <= 0} onPress={() => setOpen(true)}>
        Roll back to {to}
      </GatedButton>
      <ConfirmDialog
        title={`Roll back from ${from} to ${to}?`}
        isOpen={isOpen}
        confirmText={`Roll back to ${to}`}
        isPending={rolling.isPending}
        onCancel={() => setOpen(false)}
        onConfirm={() => rolling.mutate(to)}
      >
        <p>Requests without Service-Version get the responses of {to} again, a second later. You can upgrade again.</p>
        {rolling.error !== null && <ErrorState error={shownError(rolling.error)} />}
      </ConfirmDialog>
    </span>
  );
}

const versionsRead = defineRead((tenure, _, options) => tenure.apiVersions.list({}, options));

function Versions({ account }: { account: Account }): ReactNode {
  const { data, error, refetch } = useRead(versionsRead, {});
  if (error) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={6} />;
  return (
    <ul className={styles.changelog}>
      {data.data.map(({ id, latest, changelog }) => (
        <li key={id}>
          <div className={styles.versionHead}>
            <h3>{id}</h3>
            {latest && <Badge>newest</Badge>}
            {id === account.api_version && <Badge tone="good">yours</Badge>}
            {id === account.api_version_previous && <Badge>previous</Badge>}
            {account.api_version !== null && id > account.api_version && (
              <ButtonLink isSmall href={`/api-keys/upgrade?to=${id}`}>
                Preview the upgrade to {id}
              </ButtonLink>
            )}
          </div>
          <p>
            <Prose text={changelog} />
          </p>
        </li>
      ))}
    </ul>
  );
}
