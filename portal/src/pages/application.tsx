import { useState, type ReactNode } from 'react';
import { addressLine, dayOfMoment, dayText, money } from '@tenure/ui/words';
import { areSettled, postTo, useRead, useWrite } from '../api/reads.ts';
import type { Application, Check, Deposit, Guarantee, Page as ListOf } from '../api/shapes.ts';
import { Actions, Button } from '../kit/button.tsx';
import { Form, TextArea } from '../kit/field.tsx';
import { Card, Facts, Notice, Quiet, Rows, Skeleton, Stack, Tag } from '../kit/parts.tsx';
import { Link } from '../router.tsx';
import { useMe } from '../shell/context.ts';
import { AskAgent, focusTitle, Loaded, Page, Step, useOpener } from '../shell/page.tsx';
import {
  agentName,
  amountText,
  applicationStatus,
  byUrgency,
  checkStatus,
  depositStatus,
  errorText,
  homeText,
  namesText,
  plain,
  rentText,
} from '../words.ts';
import { applicationsPath, depositsPath } from './paths.ts';
import { WriteError } from './write-error.tsx';

/** Where the applications of the person stand, what is missing, and what was decided. */
export function ApplicationPage(): ReactNode {
  const me = useMe();
  const applications = useRead<ListOf<Application>>(applicationsPath);
  const hasMoney = me.session.features.includes('money');
  const deposits = useRead<ListOf<Deposit>>(hasMoney ? depositsPath : null);
  const holding = deposits.data?.data.filter(({ type }) => type === 'holding') ?? [];
  return (
    <Page title="My application" lead="Where it stands, what is missing, and what was decided.">
      {hasMoney && !areSettled(deposits) ? (
        <Skeleton />
      ) : (
        <Loaded of={applications}>
          {({ data }) => (
            <>
              {data.length === 0 && (
                <Notice>
                  <p>
                    <strong>There is no application yet.</strong>
                  </p>
                  <p>
                    If you have applied for a home, your agent has not entered it yet. Ask <AskAgent />.
                  </p>
                </Notice>
              )}
              {byUrgency(data).map((application) => (
                <OneApplication
                  key={application.id}
                  application={application}
                  holding={holding.filter((deposit) => deposit.application === application.id)}
                />
              ))}
            </>
          )}
        </Loaded>
      )}
      {areSettled(applications) && me.guarantees.length > 0 && <Guarantees guarantees={me.guarantees} />}
    </Page>
  );
}

function OneApplication({
  application,
  holding,
}: {
  application: Application;
  holding: readonly Deposit[];
}): ReactNode {
  const { home, rent, move_in_date: moveIn, co_applicants: others, has_guarantor: hasGuarantor } = application;
  const { tone, text } = applicationStatus(application);
  return (
    <Card title={home === null ? 'The home you applied for' : homeText(home)}>
      <div>
        <Tag tone={tone}>{text}</Tag>
      </div>
      <Missing application={application} />
      <Next application={application} />
      {application.decision !== null && <Decision application={application} />}
      <Facts
        items={[
          ['Address', home?.address ? addressLine(home.address) : null],
          ['Rent', rent && rentText(rent)],
          ['Move-in day', moveIn && dayText(moveIn)],
          ['Applying with', namesText(others)],
          ['Guarantor', hasGuarantor ? 'Yes, a person guarantees your rent' : null],
        ]}
      />
      <Holding deposits={holding} />
      {application.references.length > 0 && <Checks checks={application.references} />}
      {application.actions.includes('withdraw') && <Withdraw application={application} />}
    </Card>
  );
}

/** The holding deposits of an application, with the page that says more. */
function Holding({ deposits }: { deposits: readonly Deposit[] }): ReactNode {
  return deposits.map((deposit) => (
    <p key={deposit.id}>
      <strong>Holding deposit: {amountText(deposit.amount, deposit.currency)}.</strong> {depositStatus(deposit).text}.{' '}
      <Link to="/deposit">See where the money is</Link>
    </p>
  ));
}

/** What the person still has to send, with the page for it. */
function Missing({ application: { asked } }: { application: Application }): ReactNode {
  if (asked.length === 0) return null;
  return (
    <Notice tone="warning">
      <h3>What is missing</h3>
      <ul>
        {asked.map(({ code, text, feature }) => (
          <li key={code}>
            {text}. <MissingLink feature={feature} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function MissingLink({ feature }: { feature: 'details' | 'documents' }): ReactNode {
  const { session } = useMe();
  if (!session.features.includes(feature)) return 'Please send it to your agent.';
  return feature === 'details' ? (
    <Link to="/details">Add it to your details</Link>
  ) : (
    <Link to="/documents">Send it now</Link>
  );
}

/** What happens next. */
function Next({ application }: { application: Application }): ReactNode {
  const { status, asked, tenancy, review, co_applicants: others } = application;
  const agent = agentName(useMe().account);
  if (status === 'open')
    return (
      <p>
        {asked.length > 0
          ? `Once you have sent it, ${agent} can go on.`
          : `You have nothing to do. ${agent} looks at your application, and you can see the result here.`}
      </p>
    );
  if (status === 'approved')
    return <p>{agent} will send you the agreement. Nothing is final until you and the landlord have signed it.</p>;
  if (status === 'converted' && tenancy !== null)
    return <p>The agreement is signed, so that this application is complete.</p>;
  if (status === 'withdrawn')
    return (
      <p>
        {others.length === 0 ? 'You or your agent have' : 'You, your agent or a person you apply with has'} withdrawn
        it. Nothing more happens.
      </p>
    );
  if (status === 'rejected' && review?.status === 'requested')
    return (
      <p>A review was asked for. A person at {agent} looks at the decision again, and you can see the result here.</p>
    );
  return null;
}

function Decision({ application }: { application: Application }): ReactNode {
  const { time_zone: zone } = useMe();
  const { decision, review, actions } = application;
  if (decision === null) return null;
  const isRefused = decision.outcome === 'rejected';
  return (
    <Notice tone={isRefused ? 'bad' : 'good'}>
      <h3>{isRefused ? 'Your application was not accepted' : 'Your application was accepted'}</h3>
      <p>Decided on {dayOfMoment(decision.decided_at, zone, 'long')}.</p>
      {decision.reasons.length > 0 && (
        <>
          <p>{decision.reasons.length === 1 ? 'The reason:' : 'The reasons:'}</p>
          <ul>
            {decision.reasons.map(({ code, text }) => (
              <li key={code}>{plain(text)}</li>
            ))}
          </ul>
        </>
      )}
      {!decision.automated && <p>A person made this decision.</p>}
      {decision.automated && (
        <p>
          <strong>A computer made this decision.</strong>{' '}
          {actions.includes('request_review') && 'You have the right to ask that a person looks at it.'}
        </p>
      )}
      {review?.status === 'upheld' && <p>A person has looked at it again. The decision stays as it was.</p>}
      {review?.status === 'changed' && (
        <p>A person has looked at an earlier decision again, and has changed it. This is the decision after that.</p>
      )}
      {actions.includes('request_review') && <AskForReview application={application} />}
    </Notice>
  );
}

/** Lets a person ask that a human looks at the decision. */
function AskForReview({ application }: { application: Application }): ReactNode {
  const { isOpen, opener, setOpen } = useOpener();
  const [message, setMessage] = useState('');
  const asking = useWrite(postTo(`applications/${application.id}/request_review`), focusTitle);
  if (!isOpen)
    return (
      <>
        <p>Do you think something is wrong or missing? A person can look at the decision again. This costs nothing.</p>
        <div>
          <Button ref={opener} onPress={() => setOpen(true)}>
            Ask a person to review it
          </Button>
        </div>
      </>
    );
  return (
    <Step title="Ask a person to review it">
      <p>You can ask once. If you have applied with others, this asks for all of you. The answer comes on this page.</p>
      <Form
        label="Ask for a review"
        onSubmit={() => asking.send(message.trim() === '' ? {} : { message: message.trim() })}
      >
        <TextArea
          label="What should they know? (optional)"
          hint="For example, that your income has changed, or that something was a mistake."
          maxLength={500}
          value={message}
          onChange={setMessage}
          error={asking.faultOf('message') && errorText(asking.error!)}
        />
        <WriteError write={asking} />
        <Actions>
          <Button look="primary" type="submit" isBusy={asking.isBusy}>
            {asking.isBusy ? 'Sending…' : 'Send'}
          </Button>
          <Button onPress={() => setOpen(false)}>Not now</Button>
        </Actions>
      </Form>
    </Step>
  );
}

function Checks({ checks }: { checks: readonly Check[] }): ReactNode {
  const { time_zone: zone } = useMe();
  return (
    <Stack>
      <h3>Your checks</h3>
      <Rows
        label="Your checks"
        rows={checks.map((check) => {
          const { tone, text } = checkStatus(check);
          return {
            id: check.id,
            main: (
              <>
                Check of your details and references
                <Quiet>Ordered on {dayOfMoment(check.created, zone, 'long')}</Quiet>
                <Tag tone={tone}>{text}</Tag>
                {['consider', 'high_risk'].includes(check.outcome ?? '') && (
                  <Quiet>Your agent can tell you what was found. You may say so if it is wrong.</Quiet>
                )}
              </>
            ),
          };
        })}
      />
    </Stack>
  );
}

function Withdraw({ application }: { application: Application }): ReactNode {
  const { isOpen, opener, setOpen } = useOpener();
  const withdrawing = useWrite(postTo(`applications/${application.id}/withdraw`), focusTitle);
  const others = namesText(application.co_applicants);
  if (!isOpen)
    return (
      <div>
        <Button ref={opener} onPress={() => setOpen(true)}>
          Withdraw my application
        </Button>
      </div>
    );
  return (
    <Step title="Withdraw your application?">
      <p>
        You no longer apply for {application.home === null ? 'this home' : homeText(application.home)}. You cannot undo
        this here: to apply again, ask your agent.
      </p>
      {others !== null && (
        <Notice tone="warning">
          <p>
            <strong>This also withdraws it for {others}.</strong> The application is for all of you together. If only
            you want to leave it, ask your agent.
          </p>
        </Notice>
      )}
      <WriteError write={withdrawing} />
      <Actions>
        <Button onPress={() => setOpen(false)}>Keep it</Button>
        <Button look="danger" isBusy={withdrawing.isBusy} onPress={() => withdrawing.send({})}>
          Yes, withdraw it
        </Button>
      </Actions>
    </Step>
  );
}

/** What a guarantee means, by its status. */
export const guaranteeTexts: Readonly<Record<Guarantee['status'], string>> = {
  proposed: 'You were named as a guarantor. Nothing is agreed yet.',
  agreed: 'You have agreed to be a guarantor: from the signing of the tenancy, you pay if the tenant does not.',
  declined: 'You have declined to be a guarantor.',
  released: 'You are no longer a guarantor.',
};

function Guarantees({ guarantees }: { guarantees: readonly Guarantee[] }): ReactNode {
  const { references } = useMe();
  const checks = references.filter(({ application }) => application === null);
  return (
    <Card title="You as a guarantor">
      {guarantees.map(({ id, status, limit, agreed_on: agreedOn, released_on: releasedOn }) => (
        <Stack key={id}>
          <p>{guaranteeTexts[status]}</p>
          <Facts
            items={[
              ['At most', limit && money(limit)],
              ['Agreed on', agreedOn && dayText(agreedOn)],
              ['Released on', releasedOn && dayText(releasedOn)],
            ]}
          />
        </Stack>
      ))}
      {checks.length > 0 && <Checks checks={checks} />}
    </Card>
  );
}
