import { useState, type ReactNode } from 'react';
import type { Application } from 'tenure';
import { Actions, Button, Dialog, Radios, TextField, toast } from '@tenure/ui';
import { faultOf, useWrite } from '../../api/requests.ts';
import { Notice } from '../../office/parts.tsx';
import { Moment } from '../../office/account-time.tsx';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';

/** The review of a refusal: the applicants ask for it once, and a person of the office answers. */
export function Review({ application, refusal }: { application: Application; refusal: string | null }): ReactNode {
  const { id, review } = application;
  const [open, setOpen] = useState<'request' | 'answer' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      {review === null && (
        <Notice tone="neutral" title="Review">
          <p>The applicants can ask once that a person looks at the refusal again.</p>
          <GatedButton refusal={refusal} isInGroup onPress={() => setOpen('request')}>
            The applicants ask for a review
          </GatedButton>
        </Notice>
      )}
      {review !== null && (
        <Notice
          tone={review.status === 'requested' ? 'warning' : 'neutral'}
          title={review.status === 'requested' ? 'The applicants ask for a review' : 'Reviewed: the refusal stays'}
        >
          <p>
            Asked on <Moment at={review.requested_at} />
          </p>
          {review.message !== null && <blockquote>{review.message}</blockquote>}
          {review.completed_at !== null && (
            <p>
              Answered on <Moment at={review.completed_at} />: {review.note}
            </p>
          )}
          {review.status === 'requested' && (
            <GatedButton look="primary" refusal={refusal} onPress={() => setOpen('answer')}>
              Answer the review
            </GatedButton>
          )}
        </Notice>
      )}
      {open === 'request' && <RequestReviewDialog id={id} onClose={close} />}
      {open === 'answer' && <AnswerReviewDialog id={id} onClose={close} />}
    </>
  );
}

function RequestReviewDialog({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const [message, setMessage] = useState('');
  const asking = useWrite<string, Application>(
    (tenure, text, options) => tenure.applications.requestReview(id, text === '' ? {} : { message: text }, options),
    { onDone: onClose },
  );
  return (
    <Dialog title="The applicants ask for a review" isOpen onClose={onClose}>
      <Form
        error={asking.error}
        fields={['message']}
        onSubmit={() => asking.mutate(message.trim())}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={asking.isPending}>
              Note the request
            </Button>
          </Actions>
        }
      >
        <TextField
          label="What the applicants say (optional)"
          value={message}
          onChange={setMessage}
          isMultiline
          maxLength={500}
          error={faultOf(asking.error, 'message')}
        />
      </Form>
    </Dialog>
  );
}

function AnswerReviewDialog({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const [result, setResult] = useState<'upheld' | 'changed'>('upheld');
  const [note, setNote] = useState('');
  const answering = useWrite<{ result: 'upheld' | 'changed'; note: string }, Application>(
    (tenure, input, options) => tenure.applications.review(id, input, options),
    {
      onDone: () => {
        toast(result === 'changed' ? 'The application is open again.' : 'The refusal stays.');
        onClose();
      },
    },
  );
  return (
    <Dialog title="Answer the review" isOpen onClose={onClose}>
      <Form
        error={answering.error}
        fields={['note', 'result']}
        onSubmit={() => answering.mutate({ result, note: note.trim() })}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={note.trim() === '' || answering.isPending}>
              Answer the review
            </Button>
          </Actions>
        }
      >
        <Radios
          label="Result"
          value={result}
          onChange={(choice) => setResult(choice as 'upheld' | 'changed')}
          options={[
            { id: 'upheld', name: 'The refusal stays' },
            { id: 'changed', name: 'Open the application again', text: 'Then decide anew.' },
          ]}
        />
        <TextField
          label="Grounds"
          value={note}
          onChange={setNote}
          isMultiline
          isRequired
          maxLength={500}
          error={faultOf(answering.error, 'note')}
        />
      </Form>
    </Dialog>
  );
}
