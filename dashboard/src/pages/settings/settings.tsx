import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Account, AccountUpdateParams } from 'tenure';
import { Actions, Details, ErrorState, Id, Link, Select, Skeleton, TextField, toast } from '@tenure/ui';
import { faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { sessionQuery, useRefusal, useSession, useUser } from '../../api/session.ts';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { Page, Section } from '../../shell/page.tsx';
import pageStyles from '../../shell/page.module.css';
import { CredentialSettings, providerNames } from './credentials.tsx';

/** The settings of the account that the person acts as. */
export function SettingsPage(): ReactNode {
  const {
    data: account,
    error,
    refetch,
  } = useRead(['account'], (tenure, options) => tenure.account.retrieve({}, options));
  return (
    <Page title="Settings">
      {error !== null && <ErrorState error={shownError(error)} onRetry={() => void refetch()} />}
      {error === null && account === undefined && <Skeleton rows={14} />}
      {account !== undefined && (
        <div className={pageStyles.sections}>
          <Section title="Account">
            <AccountForm key={account.id} account={account} />
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
  const [name, setName] = useState(account.name);
  const [provider, setProvider] = useState<string | null>(account.default_provider);
  const [links, setLinks] = useState<string>(account.linked_records);
  const saving = useSaving();
  const { error } = saving;
  const isSame = name === account.name && provider === account.default_provider && links === account.linked_records;
  return (
    <Form
      error={error}
      fields={['name', 'default_provider', 'linked_records']}
      onSubmit={() =>
        saving.mutate({
          name,
          default_provider: provider as AccountUpdateParams['default_provider'],
          linked_records: links as AccountUpdateParams['linked_records'],
        })
      }
      actions={
        <Actions>
          <GatedButton refusal={refusal} look="primary" type="submit" isDisabled={isSame || saving.isPending}>
            Save
          </GatedButton>
        </Actions>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        isDisabled={refusal !== null}
        autoComplete="organization"
        error={faultOf(error, 'name')}
      />
      <Select
        label="Default provider"
        choices={[{ id: noneId, name: 'None' }, ...providerNames.map((id) => ({ id, name: id }))]}
        value={provider ?? noneId}
        onChange={(id) => setProvider(id === noneId ? null : id)}
        isDisabled={refusal !== null}
        error={faultOf(error, 'default_provider')}
        hint="Does the references that name no provider."
      />
      <Select
        label="Links between records"
        choices={[
          { id: 'open', name: 'Open: ids of your own system are allowed' },
          { id: 'strict', name: 'Strict: only records that exist here' },
        ]}
        value={links}
        onChange={setLinks}
        isDisabled={refusal !== null}
        error={faultOf(error, 'linked_records')}
      />
    </Form>
  );
}

/** The values of `require_second_factor`. */
const factorValues: Record<string, boolean | null> = { usual: null, required: true, optional: false };

function SecondFactorForm({ account }: { account: Account }): ReactNode {
  const refusal = useRefusal('accounts.write');
  const { mode } = useSession();
  const { second_factor: ownFactor } = useUser();
  const stored = Object.keys(factorValues).find((id) => factorValues[id] === account.require_second_factor)!;
  const [chosen, setChosen] = useState(stored);
  const saving = useSaving();
  const isRequired = factorValues[chosen] ?? mode === 'live';
  return (
    <Form
      error={saving.error}
      fields={['require_second_factor']}
      onSubmit={() => saving.mutate({ require_second_factor: factorValues[chosen]! })}
      actions={
        <Actions>
          <GatedButton
            refusal={refusal}
            look="primary"
            type="submit"
            isDisabled={chosen === stored || saving.isPending}
          >
            Save
          </GatedButton>
        </Actions>
      }
    >
      <Select
        label="Second factor for all members"
        choices={[
          { id: 'usual', name: `As usual: ${mode === 'live' ? 'required' : 'optional in a sandbox'}` },
          { id: 'required', name: 'Required' },
          { id: 'optional', name: 'Optional' },
        ]}
        value={chosen}
        onChange={setChosen}
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
