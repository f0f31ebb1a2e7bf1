import { useId, useState, type ReactNode } from 'react';
import type { Delivery, DeliveryAttempt } from 'tenure';
import { Badge, Button, ErrorState, ExactTime, Icon, Id, Link, Time, toast, type Tone } from '@tenure/ui';
import { shownError, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { GatedButton } from '../../shell/gated.tsx';
import { attemptWords, isDelivered, resultOf } from './attempt-words.ts';
import styles from './deliveries.module.css';

const tones: Record<string, Tone> = { delivered: 'good', pending: 'waiting', failed: 'bad', canceled: 'neutral' };

/** One event for one endpoint. A button unfolds its attempts, and another sends the event again. */
export function DeliveryCard(props: {
  delivery: Delivery;
  /** Names the endpoint on the page of an event, and the event on the page of an endpoint. */
  children: ReactNode;
  isOpenAtFirst?: boolean;
}): ReactNode {
  const { delivery, children, isOpenAtFirst = false } = props;
  const { id, status, attempts, next_attempt_at: nextAt } = delivery;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const attemptsId = useId();
  const last = attempts.at(-1);
  return (
    <article className={styles.delivery} aria-label={`Delivery ${id}`}>
      <div className={styles.head}>
        <Button
          look="plain"
          isSmall
          isIcon
          aria-label={`Attempts of ${id}`}
          aria-expanded={isOpen}
          aria-controls={attemptsId}
          onPress={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
        </Button>
        <Badge tone={tones[status] ?? 'neutral'}>{status}</Badge>
        <div className={styles.subject}>{children}</div>
        <div className={styles.facts}>
          <span>{countOf(attempts)}</span>
          {status !== 'delivered' && last !== undefined && <span>last: {resultOf(last)}</span>}
          {nextAt !== null && (
            <span>
              next attempt <Time at={nextAt} />
            </span>
          )}
          <Time at={delivery.created} />
        </div>
        <ResendButton delivery={delivery} />
      </div>
      <div id={attemptsId} hidden={!isOpen}>
        {status === 'canceled' && (
          <p className={styles.quiet}>
            It was canceled: its endpoint was disabled, or a resend of its event succeeded.
          </p>
        )}
        {attempts.length === 0 && <p className={styles.quiet}>There was no attempt yet.</p>}
        {attempts.length > 0 && (
          <ol className={styles.attempts} aria-label={`Attempts of ${id}`}>
            {attempts.map((attempt, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- Attempts have no id, and are only ever added at the end.
              <Attempt key={index} attempt={attempt} number={index + 1} />
            ))}
          </ol>
        )}
      </div>
    </article>
  );
}

function countOf({ length }: readonly DeliveryAttempt[]): string {
  return length === 1 ? '1 attempt' : `${length} attempts`;
}

function Attempt({ attempt, number }: { attempt: DeliveryAttempt; number: number }): ReactNode {
  const { created, duration_ms: duration, api_version: version, response, error } = attempt;
  const tone = isDelivered(attempt) ? 'good' : error === 'interrupted' ? 'neutral' : 'bad';
  return (
    <li className={styles.attempt}>
      <div className={styles.attemptHead}>
        <span className={styles.quiet}>{number}.</span>
        <Badge tone={tone}>{resultOf(attempt)}</Badge>
        <span>{attemptWords(attempt)}</span>
        <span className={styles.facts}>
          <span>{duration.toLocaleString()} ms</span>
          <span>version {version}</span>
          <ExactTime at={created} />
        </span>
      </div>
      {response !== null && response !== '' && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reachable by keyboard.
        <pre className={styles.response} tabIndex={0} role="group" aria-label={`Start of answer ${number}`}>
          {response}
        </pre>
      )}
    </li>
  );
}

/** Sends the event of a delivery to the same endpoint again. */
function ResendButton({ delivery }: { delivery: Delivery }): ReactNode {
  const refusal = useResendRefusal();
  const resending = useResend();
  const { event, webhook_endpoint: endpoint, account } = delivery;
  return (
    <>
      <GatedButton
        isInGroup
        isSmall
        refusal={refusal}
        isDisabled={resending.isPending}
        onPress={() => resending.mutate({ event, endpoint, account })}
      >
        <Icon name="refresh" size={12} />
        Resend
      </GatedButton>
      {resending.error !== null && (
        <div className={styles.error}>
          <ErrorState error={shownError(resending.error)} />
        </div>
      )}
    </>
  );
}

/** Returns why the person may not resend events, or null if they may. */
export function useResendRefusal(): string | null {
  const write = useRefusal('webhook_endpoints.write');
  const read = useRefusal('events.read');
  return write ?? read;
}

/** Sends an event to an endpoint again. The event of a connected account needs that account. */
export function useResend(onDone?: () => void): ReturnType<typeof useWrite<ResendInput, Delivery>> {
  return useWrite<ResendInput, Delivery>(
    (tenure, { event, endpoint, account }, options) =>
      tenure.events.resend(event, { webhook_endpoint: endpoint }, { ...options, ...(account && { account }) }),
    {
      onDone: (_, { event }) => {
        toast(`Resent ${event}. The new delivery is tried once.`);
        onDone?.();
      },
    },
  );
}

interface ResendInput {
  event: string;
  endpoint: string;
  account: string | undefined;
}

/** The event of a delivery, which may belong to a connected account. */
export function EventLink({ delivery: { event, type, account } }: { delivery: Delivery }): ReactNode {
  const href = account === undefined ? `/events/${event}` : `/events/${event}?account=${account}`;
  return (
    <>
      <Link href={href}>{type}</Link> <Id id={event} />
    </>
  );
}

/**
 * Returns after how many milliseconds deliveries are read again: soon while an attempt is due. A retry that is minutes away can wait.
 *
 * @param nowSeconds the deployment's time.
 */
export function refreshOf(deliveries: readonly Delivery[], nowSeconds: number): number | false {
  const due = deliveries.flatMap(({ next_attempt_at: at }) => (at === null ? [] : [at]));
  if (due.length === 0) return false;
  return Math.min(...due) - nowSeconds < 10 ? 1_500 : 15_000;
}
