import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Account, AccountUpdateParams } from 'tenure';
import { Actions, Details, ErrorState, Id, Link, Select, Skeleton, TextField, toast } from '@tenure/ui';
import { accountRead } from '../../api/reads.ts';
import { faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { sessionQuery, useRefusal, useSession, useUser } from '../../api/session.ts';
import { useEdits } from '../../shell/edits.ts';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { Page, Section } from '../../shell/page.tsx';
import pageStyles from '../../shell/page.module.css';
import { UnsavedQuestion } from '../../shell/unsaved.tsx';
import { CredentialSettings, providerNames } from './credentials.tsx';
import { LetterheadForm } from './letterhead.tsx';
import { LogoSettings } from './logo.tsx';

/** The settings of the account that the person acts as. */
export function SettingsPage(): ReactNode {
  const { data: account, error, refetch } = useRead(accountRead, {});
  return (
    <Page title="Settings">
      {error !== null && <ErrorState error={shownError(error)} onRetry={() => void refetch()} />}
      {error === null && account === undefined && <Skeleton rows={14} />}
      {account !== undefined && (
        <div className={pageStyles.sections}>
          <Section title="Account">
            <AccountForm key={account.id} account={account} />
          </Section>
          <Section title="Letterhead">
            <LetterheadForm key={account.id} account={account} />
          </Section>
          <Section title="Logo">
            <LogoSettings account={account} />
          </Section>
          <Section title="Provider credentials">
            <CredentialSettings account={account} />
          </Section>
          <Section title="Second factor">
            <SecondFactorForm key={account.id} account={account} />
          </Section>
          <Section title="Deployment">
            <Deployment account={account} />
          </Section>
        </div>
      )}
    </Page>
  );
}

/** The choice of no provider. */
const noneId = 'none';

function AccountForm({ account }: { account: Account }): ReactNode {
  const refusal = useRefusal('accounts.write');
  const { name, default_provider, linked_records } = account;
  const { value, changes, isChanged, set, forget } = useEdits({ name, default_provider, linked_records });
  const saving = useSaving();
  const { error } = saving;
  return (
    <Form
      error={error}
      fields={['name', 'default_provider', 'linked_records']}
      // The API refuses other values than those of the choices.
      onSubmit={() => saving.mutate(changes as AccountUpdateParams, { onSuccess: () => forget(changes) })}
      actions={
        <Actions>
          <GatedButton refusal={refusal} look="primary" type="submit" isDisabled={!isChanged || saving.isPending}>
            Save
          </GatedButton>
        </Actions>
      }
    >
      <UnsavedQuestion isChanged={isChanged} />
      <TextField
        label="Name"
        value={value.name}
        onChange={(text) => set({ name: text })}
        isRequired
        isDisabled={refusal !== null}
        autoComplete="organization"
        error={faultOf(error, 'name')}
      />
      <Select
        label="Default provider"
        choices={[{ id: noneId, name: 'None' }, ...providerNames.map((id) => ({ id, name: id }))]}
        value={value.default_provider ?? noneId}
        onChange={(id) => set({ default_provider: id === noneId ? null : id })}
        isDisabled={refusal !== null}
        error={faultOf(error, 'default_provider')}
        hint="It carries out references that name no provider."
      />
      <Select
        label="Links between records"
        choices={[
          { id: 'open', name: 'Open: ids of your own system are allowed' },
          { id: 'strict', name: 'Strict: only records that exist here' },
        ]}
        value={value.linked_records}
        onChange={(id) => set({ linked_records: id })}
        isDisabled={refusal !== null}
        error={faultOf(error, 'linked_records')}
      />
    </Form>
  );
}

/** The values of `require_second_factor`. */
const factorValues: Record<string, boolean | null> = { usual: null, required: true, optional: false };

function SecondFactorForm({ account }: { account: Account }): ReactNode {
  // It can shut members out, so it is a matter of the team.
  const refusal = useRefusal('users.write');
  const { mode } = useSession();
  const { second_factor: ownFactor } = useUser();
  const stored = Object.keys(factorValues).find((id) => factorValues[id] === account.require_second_factor)!;
  const { value, changes, isChanged, set, forget } = useEdits({ chosen: stored });
  const { chosen } = value;
  const saving = useSaving();
  const isRequired = factorValues[chosen] ?? mode === 'live';
  return (
    <Form
      error={saving.error}
      fields={['require_second_factor']}
      onSubmit={() =>
        saving.mutate({ require_second_factor: factorValues[chosen]! }, { onSuccess: () => forget(changes) })
      }
      actions={
        <Actions>
          <GatedButton refusal={refusal} look="primary" type="submit" isDisabled={!isChanged || saving.isPending}>
            Save
          </GatedButton>
        </Actions>
      }
    >
      <UnsavedQuestion isChanged={isChanged} />
      <Select
        label="Second factor for all members"
        choices={[
          { id: 'usual', name: `As usual: ${mode === 'live' ? 'required' : 'optional in a sandbox'}` },
          { id: 'required', name: 'Required' },
          { id: 'optional', name: 'Optional' },
        ]}
        value={chosen}
        onChange={(id) => set({ chosen: id })}
        isDisabled={refusal !== null}
        error={faultOf(saving.error, 'require_second_factor')}
        hint={
          !isRequired
            ? 'Each member decides.'
            : ownFactor === 'none'
              ? 'Members without one see only its set-up. You have none yourself.'
              : 'Members without one see only its set-up.'
        }
      />
    </Form>
  );
}

function Deployment({ account }: { account: Account }): ReactNode {
  const { mode, product, retention_days: retentionDays } = useSession();
  return (
    <>
      <Details
        items={[
          ['Account', <Id key="id" id={account.id} />],
          ...(typeof account.parent === 'string'
            ? [['Connected to', <Id key="parent" id={account.parent} />] as const]
            : []),
          [
            'API version',
            <Link key="version" href="/api-keys#version">
              {account.api_version ?? 'none yet'}
            </Link>,
          ],
          ['Mode', mode],
          ['Release', `${product.name} ${product.version}`],
          ['Retention', `${retentionDays.toLocaleString()} days`],
        ]}
      />
      <p className={pageStyles.quiet}>
        Events, logs and deliveries older than the retention are deleted. The operator of the deployment sets it.
      </p>
    </>
  );
}

/** Returns what saves settings of the account. The session shows some of them, too. */
function useSaving(): ReturnType<typeof useWrite<AccountUpdateParams, Account>> {
  const queries = useQueryClient();
  return useWrite((tenure, input: AccountUpdateParams, options) => tenure.account.update(input, options), {
    onDone: () => {
      toast('Saved');
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
}
