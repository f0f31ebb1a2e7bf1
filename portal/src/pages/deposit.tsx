import type { ReactNode } from 'react';
import { dayText } from '@tenure/ui/words';
import { useRead } from '../api/reads.ts';
import type { Application, Deposit, Page as ListOf } from '../api/shapes.ts';
import { Big, Card, Facts, Notice, Quiet, Rows, Stack, Tag } from '../kit/parts.tsx';
import { useMe } from '../shell/context.ts';
import { AskAgent, Loaded, Page } from '../shell/page.tsx';
import { agentName, amountText, deductionText, depositStatus, homeText, schemeDuty, schemeText } from '../words.ts';
import { More, useList } from './long-list.tsx';
import { applicationsPath } from './paths.ts';

/** The deposits: where the money is, and what was taken from it and why. */
export function DepositPage(): ReactNode {
  const deposits = useList<Deposit>('deposits');
  return (
    <Page title="My deposit" lead="Where the money is, and what happens with it.">
      <Loaded of={deposits}>
        {({ data }) => (
          <>
            {data.length === 0 && (
              <Notice>
                <p>
                  <strong>There is no deposit.</strong>
                </p>
                <p>
                  If you have paid one, ask <AskAgent />.
                </p>
              </Notice>
            )}
            {data.map((deposit) => (
              <OneDeposit key={deposit.id} deposit={deposit} />
            ))}
            <More list={deposits} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function OneDeposit({ deposit }: { deposit: Deposit }): ReactNode {
  const { currency } = deposit;
  const { tone, text } = depositStatus(deposit);
  const isSettled = deposit.status === 'settled';
  const kind = deposit.type === 'holding' ? 'Holding deposit' : 'Deposit';
  const amount = (value: number): string | null => (value === 0 ? null : amountText(value, currency));
  return (
    <Card title={deposit.home === null ? kind : `${kind} for ${homeText(deposit.home)}`}>
      <div>
        <Big>{amountText(deposit.amount, currency)}</Big>
        <Tag tone={tone}>{text}</Tag>
      </div>
      <Where deposit={deposit} />
      <Facts
        items={[
          ['Received on', deposit.received_on && dayText(deposit.received_on)],
          ['Received so far', deposit.status === 'pending' ? amount(deposit.amount_received) : null],
          ['Held now', amount(deposit.amount_held)],
          ['Used for your rent or deposit', amount(deposit.amount_applied)],
          ['Taken off', amount(deposit.amount_deducted)],
          ['Paid back', amount(deposit.amount_returned)],
          ['Paid back on', deposit.returned_on && dayText(deposit.returned_on)],
        ]}
      />
      {deposit.deductions.length > 0 && (
        <Stack>
          <h3>{isSettled ? 'What was taken off, and why' : 'What the landlord asks for, and why'}</h3>
          <Rows
            label={isSettled ? 'What was taken off' : 'What the landlord asks for'}
            rows={deposit.deductions.map(({ amount: taken, reason, description }, at) => ({
              id: String(at),
              main: (
                <>
                  {deductionText(reason)}
                  {description !== null && <Quiet>{description}</Quiet>}
                </>
              ),
              end: amountText(taken, currency),
            }))}
          />
          <p>
            <Quiet>{objection(deposit)}</Quiet>
          </p>
        </Stack>
      )}
    </Card>
  );
}

/** Says what a person can do against a deduction. Only a scheme that protects the deposit can decide. */
function objection({ status, scheme }: Deposit): string {
  if (status === 'settled') return 'If you do not agree, tell your agent.';
  if (status === 'disputed')
    return scheme === null
      ? 'This is in dispute.'
      : 'This is in dispute, and the scheme that protects the deposit decides.';
  return scheme === null
    ? 'You do not have to agree. Tell your agent.'
    : 'You do not have to agree. Tell your agent, or ask the scheme that protects the deposit to decide. That is free.';
}

/** Says where the money is, in a sentence or two. */
function Where({ deposit }: { deposit: Deposit }): ReactNode {
  const { account, today } = useMe();
  const agent = agentName(account);
  const { type, status, scheme, scheme_reference: reference, protected_on: protectedOn, protect_by: day } = deposit;
  if (type === 'holding') return <WhereHolding deposit={deposit} />;
  if (scheme !== null)
    return (
      <Notice tone={status === 'settled' ? 'neutral' : 'good'}>
        <p>
          <strong>
            {status === 'settled'
              ? `Your deposit was protected by ${schemeText(scheme)}.`
              : `Your deposit is protected by ${schemeText(scheme)}${schemeDuty(scheme)}.`}
          </strong>
        </p>
        <Facts
          items={[
            ['Number of the certificate', reference],
            ['Protected on', protectedOn && dayText(protectedOn)],
            ['You got the papers about it on', deposit.information_given_on && dayText(deposit.information_given_on)],
          ]}
        />
        <p>You can look it up on the website of the scheme with this number.</p>
      </Notice>
    );
  if (status === 'received')
    return (
      <Notice tone="warning">
        <p>
          <strong>It is not protected yet.</strong>{' '}
          {day !== null && `${agent} ${today <= day ? 'must' : 'had to'} protect it by a scheme by ${dayText(day)}. `}
          You see here where, once it is.
        </p>
      </Notice>
    );
  return null;
}

function WhereHolding({ deposit }: { deposit: Deposit }): ReactNode {
  const { account, session, today } = useMe();
  const applications = useRead<ListOf<Application>>(
    session.features.includes('applications') ? applicationsPath : null,
  );
  const { status, application, decide_by: decideBy, repay_by: repayBy } = deposit;
  if (status !== 'received') return null;
  const agent = agentName(account);
  const found = applications.data?.data.find(({ id }) => id === application);
  // A refusal ends it, and only the application tells of one.
  const isHeld = found?.status === 'open' || found?.status === 'approved';
  return (
    <p>
      {isHeld && decideBy !== null && (
        <>
          {today <= decideBy
            ? `${agent} holds the home for you. It is decided by ${dayText(decideBy)}.`
            : `It was to be decided by ${dayText(decideBy)}.`}{' '}
        </>
      )}
      {repayBy !== null &&
        (today <= repayBy
          ? `The money comes back, or counts towards your rent or deposit, by ${dayText(repayBy)}, unless ${agent} may keep it.`
          : `The money had to come back, or count towards your rent or deposit, by ${dayText(repayBy)}, unless ${agent} may keep it.`)}
    </p>
  );
}
