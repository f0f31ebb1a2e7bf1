import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Account, ApiVersionPreview } from 'tenure';
import {
  Actions,
  Badge,
  ButtonLink,
  DifferenceTable,
  EmptyState,
  ErrorState,
  Id,
  Prose,
  Skeleton,
  TextField,
  toast,
  type DifferenceRow,
} from '@tenure/ui';
import { accountRead } from '../../api/reads.ts';
import { defineRead, faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal, useSession } from '../../api/session.ts';
import { upgradeRoute } from '../../routes.tsx';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { pathOfId } from '../../shell/navigation.ts';
import { Page, Section } from '../../shell/page.tsx';
import pageStyles from '../../shell/page.module.css';
import styles from './api-keys.module.css';

/** Shows what an upgrade changes for this account, and carries it out. */
export function UpgradePage(): ReactNode {
  const { versions } = useSession();
  const { to = versions.newest } = upgradeRoute.useSearch();
  const { data: account, error, refetch } = useRead(accountRead, {});
  return (
    <Page title={`Upgrade to ${to}`} parent={{ href: '/api-keys#version', name: 'API version' }}>
      {error !== null && <ErrorState error={shownError(error)} onRetry={() => void refetch()} />}
      {error === null && account === undefined && <Skeleton rows={10} />}
      {account !== undefined && (
        <div className={pageStyles.sections}>
          <Upgrade account={account} to={to} />
        </div>
      )}
    </Page>
  );
}

function Upgrade({ account, to }: { account: Account; to: string }): ReactNode {
  const from = account.api_version;
  if (from === null || to <= from) {
    return (
      <EmptyState
        title="Nothing to upgrade"
        text={
          from === null
            ? 'The account has no version yet. The first request of a key pins the newest.'
            : `The account is at ${from} already. You can only upgrade to a newer version.`
        }
        action={<ButtonLink href="/api-keys#version">Back to the API version</ButtonLink>}
      />
    );
  }
  return (
    <Preview to={to}>
      <Section title="Upgrade">
        <UpgradeForm from={from} to={to} />
      </Section>
    </Preview>
  );
}

const previewRead = defineRead((tenure, { to }: { to: string }, options) =>
  tenure.account.apiVersionPreview({ to }, options),
);

/** Shows what would differ. The form below appears with it, so that it does not move away from a pointer. */
function Preview({ to, children }: { to: string; children: ReactNode }): ReactNode {
  const { data, error, refetch } = useRead(previewRead, { to });
  if (error)
    return (
      <>
        <ErrorState error={shownError(error)} onRetry={() => void refetch()} />
        {children}
      </>
    );
  if (data === undefined) return <Skeleton rows={12} />;
  const { from, changelog, requests, events } = data;
  return (
    <>
      <Section title="Changes">
        <ul className={styles.changelog}>
          {changelog.map(({ id, changelog: text }) => (
            <li key={id}>
              <h3>{id}</h3>
              <p>
                <Prose text={text} />
              </p>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Your requests">
        <p className={pageStyles.quiet}>
          {requests.different} of the last {requests.looked_at} requests would differ. Requests that only read, or name
          a version, are not compared.
        </p>
        {groupsOf(requests.data.map(partsOfRequest)).map((group) => (
          <Group key={group.example.id} group={group} heads={[`In ${from}`, `In ${to}`]} />
        ))}
      </Section>
      <Section title="Your events">
        <p className={pageStyles.quiet}>
          {events.different} of the last {events.looked_at} events would differ.
        </p>
        {groupsOf(events.data.map(({ id, type, differences }) => ({ id, name: type, refusal: null, differences }))).map(
          (group) => (
            <Group key={group.example.id} group={group} heads={[`In ${from}`, `In ${to}`]} />
          ),
        )}
      </Section>
      {children}
    </>
  );
}

type PreviewedRequest = ApiVersionPreview['requests']['data'][number];

/** Something that would differ. */
interface Previewed {
  id: string;
  /** The kind of request or event. Equal ones are shown together. */
  name: string;
  refusal: string | null;
  differences: readonly DifferenceRow[];
}

function partsOfRequest({ id, method, path, refused, ...bodies }: PreviewedRequest): Previewed {
  return {
    id,
    name: `${method} ${path.replace(/\?.*/, '').replaceAll(/\/[a-z]+_[0-9A-Za-z]+/g, '/{id}')}`,
    refusal: refused?.message ?? null,
    differences: [
      ...bodies.request_body.map((row) => ({ ...row, path: `request: ${row.path}` })),
      ...bodies.response_body.map((row) => ({ ...row, path: `response: ${row.path}` })),
    ],
  };
}

/** What differs in the same fields. The newest one is the example. */
interface PreviewedGroup {
  example: Previewed;
  /** How many there are of each kind. */
  counts: Map<string, number>;
}

/** Groups what differs by the fields that differ. */
function groupsOf(all: readonly Previewed[]): PreviewedGroup[] {
  const groups = new Map<string, PreviewedGroup>();
  for (const example of all) {
    const key = JSON.stringify([example.refusal, example.differences.map(({ path }) => path)]);
    const group = groups.get(key) ?? { example, counts: new Map<string, number>() };
    groups.set(key, group);
    group.counts.set(example.name, (group.counts.get(example.name) ?? 0) + 1);
  }
  return [...groups.values()];
}

function Group({ group, heads }: { group: PreviewedGroup; heads: readonly [string, string] }): ReactNode {
  const { example, counts } = group;
  const { id, name, refusal, differences } = example;
  return (
    <div className={styles.group}>
      <ul className={styles.groupHead} aria-label="What differs">
        {[...counts].map(([each, count]) => (
          <li key={each}>
            <code>{each}</code> {count > 1 && <span>× {count}</span>}
          </li>
        ))}
      </ul>
      {refusal !== null && (
        <p>
          <Badge tone="bad">would be refused</Badge> <Prose text={refusal} />
        </p>
      )}
      <DifferenceTable title={`For example ${name}`} rows={differences} heads={heads} />
      <p className={pageStyles.quiet}>
        The example is <Id id={id} href={pathOfId(id) ?? undefined} />
      </p>
    </div>
  );
}

/** Upgrades the account. The person types the date, so that no slip of the mouse does it. */
function UpgradeForm({ from, to }: { from: string; to: string }): ReactNode {
  const navigate = useNavigate();
  const refusal = useRefusal('accounts.write');
  const [typed, setTyped] = useState('');
  const upgrading = useWrite(
    (tenure, version: string, options) => tenure.account.apiVersion({ api_version: version }, options),
    {
      onDone: () => {
        toast(`The account is at ${to} now`);
        void navigate({ to: '/api-keys', hash: 'version' });
      },
    },
  );
  return (
    <Form
      error={upgrading.error}
      fields={['api_version']}
      onSubmit={() => upgrading.mutate(typed.trim())}
      actions={
        <Actions>
          <ButtonLink href="/api-keys#version">Cancel</ButtonLink>
          <GatedButton
            refusal={refusal}
            look="primary"
            type="submit"
            isDisabled={typed.trim() !== to || upgrading.isPending}
          >
            Upgrade to {to}
          </GatedButton>
        </Actions>
      }
    >
      <p>
        Requests without <code>Service-Version</code> then get responses of {to}. You can roll back to {from} within 72
        hours.
      </p>
      <TextField
        label={`Type ${to} to upgrade`}
        value={typed}
        onChange={setTyped}
        isDisabled={refusal !== null}
        isMono
        autoComplete="off"
        error={faultOf(upgrading.error, 'api_version')}
      />
    </Form>
  );
}
