import type { ReactNode } from 'react';
import { addressLine, dayText } from '@tenure/ui/words';
import { Card, Facts, Notice, Tag } from '../kit/parts.tsx';
import { useMe } from '../shell/context.ts';
import { Page } from '../shell/page.tsx';
import {
  agentName,
  homeText,
  namesText,
  noticeBy,
  noticeEffect,
  noticeOfLandlord,
  rentText,
  tenancyDays,
  tenancyStatus,
} from '../words.ts';
import { Tenancies, useTenancies } from './tenancies.tsx';

/** The tenancies of the person: the home, its days, its rent, and its other tenants. */
export function HomePage(): ReactNode {
  const agent = agentName(useMe().account);
  return (
    <Page title="My home" lead="Your tenancy: the days, the rent, and the people you rent with.">
      <Tenancies of={useTenancies()}>
        {(tenancy) => {
          const { id, home, notice, rent, signed_on: signedOn, co_tenants: others } = tenancy;
          const { tone, text } = tenancyStatus(tenancy);
          return (
            <Card key={id} title={homeText(home)}>
              <div>
                <Tag tone={tone}>{text}</Tag>
              </div>
              {notice !== null && (
                <Notice tone="warning">
                  <p>
                    <strong>{noticeEffect(tenancy)}</strong>
                  </p>
                  <p>
                    {noticeBy(notice.by, agent)} gave notice on {dayText(notice.served_on)}.
                  </p>
                  {notice.by === 'landlord' && tenancy.status !== 'ended' && <p>{noticeOfLandlord}</p>}
                </Notice>
              )}
              <Facts
                items={[
                  ['Address', home?.address ? addressLine(home.address) : null],
                  ['Days', tenancyDays(tenancy)],
                  ['Rent', rentText(rent)],
                  ['You rent with', namesText(others)],
                  ['Guarantor', tenancy.has_guarantor ? 'Yes, a person guarantees your rent' : null],
                  ['Signed on', signedOn && dayText(signedOn)],
                ]}
              />
            </Card>
          );
        }}
      </Tenancies>
    </Page>
  );
}
