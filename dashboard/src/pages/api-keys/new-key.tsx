import { useNavigate } from '@tanstack/react-router';
import { use, useState, type ReactNode } from 'react';
import type { ApiKeyWithSecret, ApprovalPolicy } from 'tenure';
import { Actions, ButtonLink, Select, TextField, TimeContext } from '@tenure/ui';
import { faultOf, useWrite } from '../../api/requests.ts';
import { useRefusal, useUser } from '../../api/session.ts';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { Page } from '../../shell/page.tsx';
import { PermissionMatrix } from './permission-matrix.tsx';
import { grantableTo, levelOf, permissionsOf, presets } from './permissions.ts';
import { SecretDialog } from './secret-dialog.tsx';

type KeyType = 'secret' | 'restricted' | 'agent';

const kinds = [
  { id: 'restricted', name: 'Restricted: for one job' },
  { id: 'secret', name: 'Secret: for your server' },
  { id: 'agent', name: 'Agent: for a program that acts by itself' },
];

/** Which requests of an agent wait for a person. */
const policies: { id: ApprovalPolicy; name: string }[] = [
  { id: 'sensitive', name: 'Sensitive requests' },
  { id: 'all_writes', name: 'All changes' },
  { id: 'none', name: 'None: the agent acts alone' },
];

/** The choices for the end of a key, in days. */
const lifetimes = [7, 30, 90, 365];

/** The days after which an agent's key ends at the latest. */
const agentDaysMax = 90;

/** Makes a key. Its secret is shown once. */
export function NewKeyPage(): ReactNode {
  const navigate = useNavigate();
  const { permissions: own } = useUser();
  const refusal = useRefusal('api_keys.write');
  const { aheadSeconds } = use(TimeContext);
  const [type, setType] = useState<KeyType>('restricted');
  const [name, setName] = useState('');
  const [approvals, setApprovals] = useState<ApprovalPolicy>('sensitive');
  const [permissions, setPermissions] = useState<readonly string[]>([]);
  // The moment is taken when the person chooses, so that a repeated attempt sends the same.
  const [end, setEnd] = useState<{ days: number; at: number } | null>(null);
  const [made, setMade] = useState<ApiKeyWithSecret | null>(null);
  const creating = useWrite((tenure, input: KeyInput, options) => tenure.apiKeys.create(input, options), {
    onDone: setMade,
  });
  const { error } = creating;
  const grantable = grantableTo(type, own);
  const choose = (next: KeyType): void => {
    setType(next);
    const kept = grantableTo(next, own);
    if (next === 'secret') setPermissions(permissionsOf(presets[0]!, kept));
    else setPermissions(permissions.filter((one) => kept.some(({ kind }) => levelOf([one], kind) !== 'none')));
    if (next === 'agent' && end !== null && end.days > agentDaysMax) setEnd(null);
  };
  const close = (): void => {
    const { id } = made!;
    creating.reset();
    setMade(null);
    void navigate({ to: '/api-keys/$id', params: { id } });
  };

  return (
    <Page title="Create an API key" parent={{ href: '/api-keys', name: 'API keys' }}>
      <Form
        error={error}
        fields={['name', 'type', 'approvals', 'permissions', 'expires_at']}
        onSubmit={() =>
          creating.mutate({
            type,
            name: name.trim() === '' ? null : name,
            permissions: [...permissions],
            expires_at: end?.at ?? null,
            ...(type === 'agent' && { approvals }),
          })
        }
        actions={
          <Actions>
            <ButtonLink href="/api-keys">Cancel</ButtonLink>
            <GatedButton
              refusal={refusal}
              look="primary"
              type="submit"
              isDisabled={creating.isPending || permissions.length === 0}
            >
              Create the key
            </GatedButton>
          </Actions>
        }
      >
        <Select
          label="Kind"
          choices={kinds}
          value={type}
          onChange={(id) => choose(id as KeyType)}
          error={faultOf(error, 'type')}
          hint={
            type === 'agent'
              ? 'An agent’s key ends after 90 days at the latest, and can create no keys.'
              : 'Give each program a key of its own, so that you can revoke it alone.'
          }
        />
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          isRequired={type === 'agent'}
          maxLength={500}
          autoComplete="off"
          error={faultOf(error, 'name')}
          hint="What the key is for. Events and logs show it."
        />
        {type === 'agent' && (
          <Select
            label="A person approves"
            choices={policies}
            value={approvals}
            onChange={(id) => setApprovals(id as ApprovalPolicy)}
            error={faultOf(error, 'approvals')}
            hint="Sensitive requests cancel, decide, delete, order a check, or change where events go."
          />
        )}
        <PermissionMatrix
          grantable={grantable}
          permissions={permissions}
          onChange={setPermissions}
          error={faultOf(error, 'permissions')}
        />
        <Select
          label="Expires"
          choices={[
            { id: '0', name: type === 'agent' ? 'After 30 days' : 'Never' },
            ...lifetimes
              .filter((days) => type !== 'agent' || (days <= agentDaysMax && days !== 30))
              .map((days) => ({ id: String(days), name: `After ${days} days` })),
          ]}
          value={String(end?.days ?? 0)}
          onChange={(id) => setEnd(id === '0' ? null : endIn(Number(id), aheadSeconds))}
          error={faultOf(error, 'expires_at')}
        />
      </Form>
      <SecretDialog made={made} onClose={close} />
    </Page>
  );
}

interface KeyInput {
  type: KeyType;
  name: string | null;
  permissions: string[];
  expires_at: number | null;
  approvals?: ApprovalPolicy;
}

function endIn(days: number, aheadSeconds: number): { days: number; at: number } {
  return { days, at: Math.floor(Date.now() / 1000) + aheadSeconds + days * 86_400 };
}
