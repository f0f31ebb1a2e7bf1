import { useState, type ReactNode } from 'react';
import { dayText } from '@tenure/ui/words';
import { postTo, useWrite } from '../api/reads.ts';
import type { PetRequest, Tenancy } from '../api/shapes.ts';
import { Actions, Button } from '../kit/button.tsx';
import { Form, TextArea } from '../kit/field.tsx';
import { Card, Facts, Live, Notice, Quiet, Stack, Tag, type Tone } from '../kit/parts.tsx';
import { useMe } from '../shell/context.ts';
import { Page } from '../shell/page.tsx';
import { agentName, homeText, plain } from '../words.ts';
import { Tenancies, useTenancies } from './tenancies.tsx';
import { WriteError } from './write-error.tsx';

/** Requests to keep a pet, and their answers. */
export function PetsPage(): ReactNode {
  return (
    <Page title="Pets" lead="Ask whether you may keep a pet, and see the answer.">
      <Tenancies of={useTenancies()} isShown={({ status }) => status !== 'canceled'}>
        {(tenancy) => (
          <Card key={tenancy.id} title={homeText(tenancy.home)}>
            {tenancy.pet_requests.length === 0 && <p>You have not asked about a pet.</p>}
            {tenancy.pet_requests.map((request) => (
              <Request key={request.number} tenancy={tenancy} request={request} />
            ))}
            {tenancy.actions.includes('request_pet') && (
              <>
                {tenancy.pet_requests.length > 0 && <h3>Ask about another pet</h3>}
                <Ask tenancy={tenancy} />
              </>
            )}
          </Card>
        )}
      </Tenancies>
    </Page>
  );
}

const states: Readonly<Record<PetRequest['status'], { tone: Tone; text: string }>> = {
  open: { tone: 'waiting', text: 'Waiting for an answer' },
  information_asked: { tone: 'warning', text: 'Your agent has a question' },
  granted: { tone: 'good', text: 'Yes' },
  refused: { tone: 'bad', text: 'No' },
};

/** After the end of the tenancy, no answer can come any more. */
const unanswered = { tone: 'neutral', text: 'Not answered before the tenancy ended' } as const;

function Request({ tenancy, request }: { tenancy: Tenancy; request: PetRequest }): ReactNode {
  const { status, description, reason, requested_on: requestedOn, answer_by: answerBy } = request;
  const hasEnded = tenancy.status === 'ended';
  const { tone, text } = hasEnded && status !== 'granted' && status !== 'refused' ? unanswered : states[status];
  return (
    <Stack>
      <Tag tone={tone}>{text}</Tag>
      <Facts
        items={[
          ['Your request', description],
          ['Asked on', dayText(requestedOn)],
          [status === 'information_asked' ? 'Their question' : 'Their reason', reason],
          ['They must answer by', status === 'open' && !hasEnded ? dayText(answerBy) : null],
        ]}
      />
      {status === 'information_asked' && tenancy.actions.includes('request_pet') && (
        <Ask tenancy={tenancy} number={request.number} />
      )}
    </Stack>
  );
}

/**
 * Asks about a pet, or answers the question of the agent.
 *
 * @param props.number the request that is answered.
 */
function Ask({ tenancy, number }: { tenancy: Tenancy; number?: number }): ReactNode {
  const agent = agentName(useMe().account);
  const [description, setDescription] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const asking = useWrite(postTo<Tenancy>(`tenancies/${tenancy.id}/request_pet`), () => {
    setDescription('');
    setSent(true);
  });
  const isAnswer = number !== undefined;
  const faultOfApi = asking.faultOf('description');
  const submit = (): void => {
    setSent(false);
    const text = description.trim();
    setFault(text === '' ? (isAnswer ? 'Type your answer.' : 'Say which pet it is.') : null);
    if (text !== '') asking.send({ description: text, ...(isAnswer && { number }) });
  };
  return (
    <Form label={isAnswer ? 'Answer the question' : 'Ask about a pet'} onSubmit={submit}>
      <TextArea
        label={isAnswer ? 'Your answer' : 'Which pet is it?'}
        hint={isAnswer ? undefined : 'For example: one cat, five years old, neutered, lives indoors.'}
        maxLength={500}
        value={description}
        onChange={setDescription}
        error={fault ?? (faultOfApi && plain(faultOfApi))}
      />
      <WriteError write={asking} fields={['description']} />
      <Live>
        {isSent && !asking.isBusy && (
          <Notice tone="good">
            <p>Sent. {agent} answers within 28 days, and you see the answer here.</p>
          </Notice>
        )}
      </Live>
      <Actions>
        <Button look="primary" type="submit" isBusy={asking.isBusy}>
          {asking.isBusy ? 'Sending…' : isAnswer ? 'Send the answer' : 'Ask'}
        </Button>
      </Actions>
      {!isAnswer && <Quiet>Please wait for the answer before you bring the pet home.</Quiet>}
    </Form>
  );
}
