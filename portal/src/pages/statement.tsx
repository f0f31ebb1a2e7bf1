import type { ReactNode } from 'react';
import { shortDay } from '@tenure/ui/words';
import type { LedgerEntry } from '../api/shapes.ts';
import { Card, Quiet, Rows } from '../kit/parts.tsx';
import { Loaded, Page } from '../shell/page.tsx';
import { amountText, homeText, ledgerText } from '../words.ts';
import { More, useList } from './long-list.tsx';
import { useTenancies } from './tenancies.tsx';

/** Each bill and payment of a tenancy, with the balance after it. */
export function StatementPage({ tenancy }: { tenancy: string }): ReactNode {
  const tenancies = useTenancies();
  const entries = useList<LedgerEntry>(`tenancies/${encodeURIComponent(tenancy)}/ledger`);
  const found = tenancies.data?.data.find(({ id }) => id === tenancy);
  const currency = found?.rent.currency ?? 'gbp';
  return (
    <Page
      title="Statement"
      lead="Each bill and each payment, newest first. The balance is what you owed afterwards."
      parent={{ to: '/rent', name: 'Rent and payments' }}
    >
      <Card title={homeText(found?.home ?? null)}>
        <Loaded of={entries}>
          {({ data }) =>
            data.length === 0 ? (
              <p>There are no bills and no payments yet.</p>
            ) : (
              <>
                <Rows
                  label="Statement"
                  rows={data.map((entry) => ({
                    id: entry.id,
                    main: (
                      <>
                        <strong>{ledgerText(entry)}</strong>
                        <Quiet>{shortDay(entry.date)}</Quiet>
                      </>
                    ),
                    end: (
                      <>
                        {amountText(entry.amount, currency)}
                        <Quiet>{balanceText(entry.balance, currency)}</Quiet>
                      </>
                    ),
                  }))}
                />
                <More list={entries} />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function balanceText(balance: number, currency: string): string {
  return balance < 0 ? `${amountText(-balance, currency)} in credit` : `Balance ${amountText(balance, currency)}`;
}
