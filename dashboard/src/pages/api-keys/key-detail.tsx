import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { ApiKey, ApiKeyWithSecret } from 'tenure';
import {
  Actions,
  Badge,
  Button,
  ConfirmDialog,
  Details,
  Dialog,
  ErrorState,
  ExactTime,
  Link,
  Select,
  Time,
  toast,
} from '@tenure/ui';
import { defineRead, faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { apiKeyRoute } from '../../routes.tsx';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { DetailPage, Section } from '../../shell/page.tsx';
import styles from './api-keys.module.css';
import { KeyStatus, Maker } from './key-list.tsx';
import { nameOfKey } from './key-name.tsx';
import { grantableTo, levelOf, nameOfKind } from './permissions.ts';
import { SecretDialog } from './secret-dialog.tsx';

const keyRead = defineRead((tenure, { id }: { id: string }, options) => tenure.apiKeys.retrieve(id, {}, options));

/** One key: what it may do, and how to replace or end it. */
export function ApiKeyPage(): ReactNode {
  const { id } = apiKeyRoute.useParams();
  const query = useRead(keyRead, { id });
  return (
    <DetailPage
      id={id}
      noun="API key"
      parent={{ href: '/api-keys', name: 'API keys' }}
      query={query}
      subtitle={nameOfKey}
      actions={(key) => <KeyActions apiKey={key} />}
    >
      {(key) => (
        <>
          <Facts apiKey={key} />
          <Section title="Permissions">
            <ul className={styles.granted}>
              {grantableTo(key.type, key.permissions).map(({ kind }) => (
                <li key={kind}>
                  {nameOfKind(kind)}
                  <Badge>{levelOf(key.permissions, kind) === 'write' ? 'read and write' : 'read'}</Badge>
                </li>
              ))}
            </ul>
          </Section>
          <Section title="What it did">
            <p>
              <Link href={`/events?actor=${id}`}>Events that it caused</Link>
            </p>
          </Section>
        </>
      )}
    </DetailPage>
  );
}

/** Which requests of an agent wait for a person. */
const policyNames: Readonly<Record<string, string>> = {
  sensitive: 'sensitive requests',
  all_writes: 'all changes',
  none: 'no requests',
};

function Facts({ apiKey }: { apiKey: ApiKey }): ReactNode {
  const {
    status,
    type,
    created,
    created_by: maker,
    last_four: lastFour,
    last_used_at: usedAt,
    expires_at: endsAt,
    approvals,
  } = apiKey;
  return (
    <Details
      items={[
        ['Status', <KeyStatus key="status" status={status} />],
        ['Kind', type],
        ['Last four', <code key="four">…{lastFour}</code>],
        ['Last used', usedAt === null ? 'never' : <Time key="used" at={usedAt} />],
        ['Expires', endsAt === null ? 'never' : <ExactTime key="expires" at={endsAt} />],
        ...(approvals === null ? [] : [['A person approves', policyNames[approvals] ?? approvals] as const]),
        ['Created', <ExactTime key="created" at={created} />],
        ['Made by', maker === null ? null : <Maker key="maker" id={maker} />],
      ]}
    />
  );
}

function KeyActions({ apiKey }: { apiKey: ApiKey }): ReactNode {
  const { id, status } = apiKey;
  const lacking = useRefusal('api_keys.write');
  const [open, setOpen] = useState<'roll' | 'revoke' | null>(null);
  const refusal = lacking ?? (status === 'active' ? null : `The key is ${status}`);
  const revoking = useWrite((tenure, _: string, options) => tenure.apiKeys.delete(id, options), {
    onDone: () => {
      setOpen(null);
      toast(`Revoked ${nameOfKey(apiKey)}`);
    },
  });
  // One reason is enough for both buttons.
  return (
    <>
      <Button isDisabled={refusal !== null} onPress={() => setOpen('roll')}>
        Roll
      </Button>
      <GatedButton refusal={refusal} onPress={() => setOpen('revoke')}>
        Revoke
      </GatedButton>
      <RollDialog apiKey={apiKey} isOpen={open === 'roll'} onClose={() => setOpen(null)} />
      <ConfirmDialog
        title={`Revoke ${nameOfKey(apiKey)}?`}
        isOpen={open === 'revoke'}
        confirmText="Revoke the key"
        isPending={revoking.isPending}
        onCancel={() => setOpen(null)}
        onConfirm={() => revoking.mutate(id)}
      >
        <p>
          Requests with the key that ends in <code>{apiKey.last_four}</code> fail at once. A revoked key stays revoked.
        </p>
        {revoking.error !== null && <ErrorState error={shownError(revoking.error)} />}
      </ConfirmDialog>
    </>
  );
}

/** For how long both keys can be used, in seconds. */
const overlaps = [
  { id: '0', name: 'At once' },
  { id: '3600', name: 'After 1 hour' },
  { id: '86400', name: 'After 1 day' },
  { id: '604800', name: 'After 7 days' },
];

/** Makes the successor of a key. Both are valid until the old one ends. */
function RollDialog({ apiKey, isOpen, onClose }: { apiKey: ApiKey; isOpen: boolean; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [overlap, setOverlap] = useState('3600');
  const [made, setMade] = useState<ApiKeyWithSecret | null>(null);
  const rolling = useWrite(
    (tenure, expiresIn: number, options) => tenure.apiKeys.roll(apiKey.id, { expires_in: expiresIn }, options),
    {
      onDone: (key) => {
        onClose();
        setMade(key);
      },
    },
  );
  const close = (): void => {
    const { id } = made!;
    rolling.reset();
    setMade(null);
    void navigate({ to: '/api-keys/$id', params: { id } });
  };
  return (
    <>
      <Dialog title={`Roll ${nameOfKey(apiKey)}`} isOpen={isOpen} onClose={onClose}>
        <Form
          error={rolling.error}
          fields={['expires_in']}
          onSubmit={() => rolling.mutate(Number(overlap))}
          actions={
            <Actions>
              <Button onPress={onClose}>Cancel</Button>
              <Button look="primary" type="submit" isDisabled={rolling.isPending}>
                Roll the key
              </Button>
            </Actions>
          }
        >
          <p>A new key gets the same name and permissions. Both work until the old one ends.</p>
          <Select
            label="The old key ends"
            choices={overlaps}
            value={overlap}
            onChange={setOverlap}
            error={faultOf(rolling.error, 'expires_in')}
          />
        </Form>
      </Dialog>
      <SecretDialog made={made} onClose={close} />
    </>
  );
}
