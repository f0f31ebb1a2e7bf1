import { useState, type ReactNode } from 'react';
import { dayText } from '@tenure/ui/words';
import { postTo, useWrite } from '../api/reads.ts';
import type { Tenancy } from '../api/shapes.ts';
import { Actions, Button } from '../kit/button.tsx';
import { Form, TextField } from '../kit/field.tsx';
import { Card, Facts, Notice } from '../kit/parts.tsx';
import { useMe } from '../shell/context.ts';
import { AskAgent, focusTitle, Page, Step, useOpener } from '../shell/page.tsx';
import { agentName, homeText, longDay, namesText, noticeBy, noticeEffect, noticeOfLandlord, plain } from '../words.ts';
import { Tenancies, useTenancies } from './tenancies.tsx';
import { WriteError } from './write-error.tsx';

/** Lets a tenant end the tenancy. A second step names the last day. */
export function NoticePage(): ReactNode {
  return (
    <Page title="Give notice" lead="Tell your agent that you move out. This ends your tenancy.">
      <Tenancies of={useTenancies()} isShown={({ status }) => status !== 'canceled' && status !== 'ended'}>
        {(tenancy) => (
          <Card key={tenancy.id} title={homeText(tenancy.home)}>
            {tenancy.notice !== null && <Given tenancy={tenancy} notice={tenancy.notice} />}
            {tenancy.actions.includes('give_notice') && <GiveNotice tenancy={tenancy} />}
          </Card>
        )}
      </Tenancies>
    </Page>
  );
}

function Given({ tenancy, notice }: { tenancy: Tenancy; notice: NonNullable<Tenancy['notice']> }): ReactNode {
  const agent = agentName(useMe().account);
  return (
    <>
      <Notice tone="warning" role="status">
        <p>
          <strong>{noticeEffect(tenancy)}</strong>
        </p>
        <p>
          {noticeBy(notice.by, agent)} gave notice on {dayText(notice.served_on)}.
        </p>
        {notice.by === 'landlord' && <p>{noticeOfLandlord}</p>}
      </Notice>
      {tenancy.status === 'notice' && notice.by !== 'landlord' && (
        <p>
          Have your plans changed? You cannot take a notice back by yourself. Ask <AskAgent />.
        </p>
      )}
    </>
  );
}

function GiveNotice({ tenancy }: { tenancy: Tenancy }): ReactNode {
  const { today, account } = useMe();
  const [day, setDay] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const { isOpen, opener, setOpen } = useOpener();
  const giving = useWrite(postTo<Tenancy>(`tenancies/${tenancy.id}/give_notice`), focusTitle);
  const agent = agentName(account);
  const earliest = tenancy.earliest_last_day;
  const faultOfApi = giving.faultOf('ends_on');
  const others = namesText(tenancy.co_tenants);
  if (!isOpen)
    return (
      <Form
        label="Give notice"
        onSubmit={() => {
          const isWrong = day === '' || day < today;
          setFault(isWrong ? 'Choose your last day. It cannot be in the past.' : null);
          setOpen(!isWrong);
        }}
      >
        <TextField
          label="Your last day"
          hint={
            earliest === null
              ? 'Your agreement says how much notice you must give.'
              : `You must give two months’ notice, and it ends with a rent period. So the earliest day is ${longDay(earliest)}, unless ${agent} agrees to less in writing.`
          }
          type="date"
          min={today}
          value={day}
          onChange={setDay}
          error={fault ?? (faultOfApi && plain(faultOfApi))}
        />
        <WriteError write={giving} fields={['ends_on']} />
        <Actions>
          <Button ref={opener} type="submit">
            Continue
          </Button>
        </Actions>
      </Form>
    );
  return (
    <Step title={`Your last day will be ${longDay(day)}`}>
      <p>Please check this before you send it. You cannot take it back by yourself.</p>
      <Facts
        items={[
          ['Home', homeText(tenancy.home)],
          ['Notice given on', longDay(today)],
          ['Last day', longDay(day)],
        ]}
      />
      {others !== null && (
        <Notice tone="warning">
          <p>
            <strong>The tenancy also ends for {others}.</strong> The notice of one tenant ends it for all of you.
          </p>
        </Notice>
      )}
      {earliest !== null && day < earliest && (
        <Notice tone="warning">
          <p>
            <strong>The earliest day is {longDay(earliest)}.</strong> {agent} may ask you to pay the rent until then.
            Speak to them first, if you can.
          </p>
        </Notice>
      )}
      <WriteError write={giving} />
      <Actions>
        <Button onPress={() => setOpen(false)}>Go back</Button>
        <Button look="danger" isBusy={giving.isBusy} onPress={() => giving.send({ ends_on: day })}>
          {giving.isBusy ? 'Sending…' : `Give notice: my last day is ${dayText(day)}`}
        </Button>
      </Actions>
    </Step>
  );
}
