import type { ReactNode } from 'react';
import { dayText, periodText, shortDay } from '@tenure/ui/words';
import { areSettled } from '../api/reads.ts';
import type { Invoice, Payment, Tenancy } from '../api/shapes.ts';
import { Big, Card, Facts, Notice, Quiet, Rows, Skeleton, Tag, Unseen } from '../kit/parts.tsx';
import { Link } from '../router.tsx';
import { useMe } from '../shell/context.ts';
import { AskAgent, Loaded, Page } from '../shell/page.tsx';
import { amountText, homeText, invoiceStatus, methodText, paymentStatus, rentText } from '../words.ts';
import { More, useList, type LongList } from './long-list.tsx';
import { Tenancies, useTenancies } from './tenancies.tsx';

/** What the person owes, the bills, and the payments. */
export function RentPage(): ReactNode {
  const tenancies = useTenancies();
  const invoices = useList<Invoice>('invoices');
  const payments = useList<Payment>('payments');
  return (
    <Page title="Rent and payments">
      {areSettled(tenancies, invoices, payments) ? (
        <>
          <Tenancies of={tenancies} isShown={({ balance }) => balance !== null}>
            {(tenancy) => <Balance key={tenancy.id} tenancy={tenancy} />}
          </Tenancies>
          <HowToPay />
          <Invoices invoices={invoices} />
          <Payments payments={payments} />
        </>
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}

/** What becomes of money that no bill needs. After the end there is no next rent. */
function Credit({ hasEnded }: { hasEnded: boolean }): ReactNode {
  return hasEnded ? (
    <p>
      You have paid more than was due. To get it back, ask your agent: <AskAgent />.
    </p>
  ) : (
    <p>You have paid more than was due. It counts towards the next rent.</p>
  );
}

function Balance({ tenancy }: { tenancy: Tenancy }): ReactNode {
  const { id, home, rent, balance, arrears, status } = tenancy;
  const owed = balance ?? 0;
  const overdue = arrears?.amount ?? 0;
  const { currency } = rent;
  const hasBank = Boolean(useMe().account.bank);
  return (
    <Card title={homeText(home)}>
      <div>
        <Big>
          {owed > 0
            ? `You owe ${amountText(owed, currency)}`
            : owed < 0
              ? `You are ${amountText(-owed, currency)} in credit`
              : 'You owe nothing'}
        </Big>
        {owed < 0 && <Credit hasEnded={status === 'ended' || status === 'canceled'} />}
        {owed > 0 && overdue === 0 && <p>Nothing is overdue.</p>}
      </div>
      {overdue > 0 && (
        <Notice tone="bad">
          <p>
            <strong>
              {amountText(overdue, currency)} is overdue{arrears?.since ? ` since ${dayText(arrears.since)}` : ''}.
            </strong>
          </p>
          <p>
            {hasBank ? 'How to pay is below.' : 'Pay it as you always pay your rent.'} If you cannot pay all of it, talk
            to your agent soon: <AskAgent />. Citizens Advice helps for free, too.
          </p>
        </Notice>
      )}
      <Facts items={[['Rent', status === 'ended' ? null : rentText(rent)]]} />
      <p>
        <Link to={`/rent/${id}`}>See each bill and payment with the balance</Link>
      </p>
    </Card>
  );
}

/** The bank account of the agent, as it stands on each bill. */
function HowToPay(): ReactNode {
  const { bank } = useMe().account;
  if (!bank) return null;
  return (
    <Card title="How to pay">
      <p>Pay by bank transfer. Give the number of the bill as the reference.</p>
      <Facts
        items={[
          ['Account name', bank.account_name],
          ['Sort code', bank.sort_code && bank.sort_code.replaceAll(/(\d\d)(?=\d)/g, '$1-')],
          ['Account number', bank.account_number],
          ['IBAN', bank.iban],
        ]}
      />
    </Card>
  );
}

function Invoices({ invoices }: { invoices: LongList<Invoice> }): ReactNode {
  return (
    <Card title="Bills">
      <Loaded of={invoices}>
        {({ data }) =>
          data.length === 0 ? (
            <p>There are no bills yet.</p>
          ) : (
            <>
              <Rows label="Bills" rows={data.map((invoice) => ({ id: invoice.id, ...invoiceRow(invoice) }))} />
              <More list={invoices} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function invoiceRow(invoice: Invoice): { main: ReactNode; end: ReactNode } {
  const { number, due_on: dueOn, currency, total, amount_due: due, amount_credited: credited, period, lines } = invoice;
  const { tone, text } = invoiceStatus(invoice);
  const isPart = due > 0 && due < total;
  return {
    main: (
      <>
        <strong>{period === null ? (number ?? 'Bill') : periodText(period)}</strong>
        <Quiet>
          {period !== null && number !== null && `Number ${number}. `}Due on {shortDay(dueOn)}
        </Quiet>
        {isPart && <Quiet>{amountText(due, currency)} of it is still to pay</Quiet>}
        <details>
          <summary>
            What is on it <Unseen>{number}</Unseen>
          </summary>
          <Rows
            label={`Lines of ${number ?? 'the bill'}`}
            rows={[
              ...lines.map((line, at) => ({
                id: String(at),
                main: line.description,
                end: amountText(line.amount, currency),
              })),
              ...(credited > 0 ? [{ id: 'credit', main: 'Taken off', end: amountText(-credited, currency) }] : []),
            ]}
          />
        </details>
      </>
    ),
    end: (
      <>
        {amountText(total, currency)}
        <Tag tone={tone}>{text}</Tag>
      </>
    ),
  };
}

function Payments({ payments }: { payments: LongList<Payment> }): ReactNode {
  return (
    <Card title="Payments">
      <Loaded of={payments}>
        {({ data }) =>
          data.length === 0 ? (
            <p>There are no payments yet.</p>
          ) : (
            <>
              <Rows label="Payments" rows={data.map((payment) => ({ id: payment.id, ...paymentRow(payment) }))} />
              <More list={payments} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function paymentRow(payment: Payment): { main: ReactNode; end: ReactNode } {
  const {
    amount,
    currency,
    method,
    received_on: receivedOn,
    deposit,
    own,
    reference,
    amount_refunded: refunded,
  } = payment;
  const { tone, text } = paymentStatus(payment);
  return {
    main: (
      <>
        <strong>
          {receivedOn === null
            ? payment.status === 'pending'
              ? 'Not received yet'
              : 'Not received'
            : shortDay(receivedOn)}
        </strong>
        <Quiet>
          {methodText(method)}
          {deposit !== null && ', for the deposit'}
          {own === false && ', paid by another person'}
        </Quiet>
        {payment.status === 'succeeded' && (
          <details>
            <summary>
              Receipt <Unseen>{receivedOn && dayText(receivedOn)}</Unseen>
            </summary>
            <Facts
              items={[
                ['Received on', receivedOn && dayText(receivedOn)],
                ['Amount', amountText(amount, currency)],
                ['Paid by', methodText(method)],
                ['Reference', reference],
                ['Number', payment.id],
              ]}
            />
          </details>
        )}
        {refunded > 0 && <Quiet>{amountText(refunded, currency)} was paid back</Quiet>}
      </>
    ),
    end: (
      <>
        {amountText(amount, currency)}
        <Tag tone={tone}>{text}</Tag>
      </>
    ),
  };
}
