import { useState, type ReactNode } from 'react';
import type { EventType } from 'tenure';
import { Checkbox, Switch, TextField } from '@tenure/ui';
import styles from './webhooks.module.css';

/** All types of events. The type checker finds a missing one. */
const eventTypes: Record<EventType, true> = {
  'reference.created': true,
  'reference.updated': true,
  'reference.deleted': true,
  'reference.completed': true,
  'reference.canceled': true,
  'application.created': true,
  'application.updated': true,
  'application.deleted': true,
  'application.approved': true,
  'application.rejected': true,
  'application.withdrawn': true,
  'application.review_requested': true,
  'application.reviewed': true,
  'application.converted': true,
  'application.reopened': true,
  'application.check_raised': true,
  'guarantor.created': true,
  'guarantor.updated': true,
  'guarantor.deleted': true,
  'guarantor.agreed': true,
  'guarantor.declined': true,
  'guarantor.released': true,
  'building.created': true,
  'building.updated': true,
  'building.deleted': true,
  'unit.created': true,
  'unit.updated': true,
  'unit.deleted': true,
  'unit.available': true,
  'unit.reserved': true,
  'unit.let_agreed': true,
  'unit.occupied': true,
  'tenancy.created': true,
  'tenancy.updated': true,
  'tenancy.signed': true,
  'tenancy.activated': true,
  'tenancy.notice_given': true,
  'tenancy.notice_withdrawn': true,
  'tenancy.ended': true,
  'tenancy.canceled': true,
  'tenancy.pet_requested': true,
  'tenancy.pet_answered': true,
  'tenancy.arrears_started': true,
  'tenancy.arrears_cleared': true,
  'tenancy.check_raised': true,
  'retention_hold.created': true,
  'retention_hold.updated': true,
  'retention_hold.revealed': true,
  'retention_hold.expired': true,
  'deposit.created': true,
  'deposit.updated': true,
  'deposit.received': true,
  'deposit.applied': true,
  'deposit.retained': true,
  'deposit.returned': true,
  'deposit.protected': true,
  'deposit.information_given': true,
  'deposit.release_proposed': true,
  'deposit.disputed': true,
  'deposit.released': true,
  'deposit.canceled': true,
  'deposit.check_raised': true,
  'subscription.created': true,
  'subscription.updated': true,
  'subscription.activated': true,
  'subscription.change_scheduled': true,
  'subscription.change_canceled': true,
  'subscription.amount_changed': true,
  'subscription.paused': true,
  'subscription.resumed': true,
  'subscription.ended': true,
  'invoice.created': true,
  'invoice.updated': true,
  'invoice.deleted': true,
  'invoice.finalized': true,
  'invoice.paid': true,
  'invoice.reopened': true,
  'invoice.credited': true,
  'invoice.voided': true,
  'invoice.marked_uncollectible': true,
  'invoice.overdue': true,
  'payment.created': true,
  'payment.updated': true,
  'payment.succeeded': true,
  'payment.failed': true,
  'payment.canceled': true,
  'payment.allocated': true,
  'payment.refunded': true,
  'bank_line.confirmed': true,
  'bank_line.deleted': true,
  'bank_line.ignored': true,
  'bank_line.reopened': true,
  'bank_line.updated': true,
  'payment_import.created': true,
  'payment_import.updated': true,
  'customer.created': true,
  'customer.updated': true,
  'customer.deleted': true,
  'file.created': true,
  'file.updated': true,
  'file.deleted': true,
  'file_link.created': true,
  'file_link.updated': true,
  'file_link.opened': true,
  'file_link.revoked': true,
  'portal_session.created': true,
  'portal_session.updated': true,
  'portal_session.opened': true,
  'portal_session.ended': true,
  'workflow.created': true,
  'workflow.updated': true,
  'workflow.deleted': true,
  'workflow.activated': true,
  'workflow.paused': true,
  'workflow.archived': true,
  'workflow_run.created': true,
  'workflow_run.updated': true,
  'workflow_run.succeeded': true,
  'workflow_run.failed': true,
  'workflow_run.canceled': true,
  'webhook_endpoint.created': true,
  'webhook_endpoint.updated': true,
  'webhook_endpoint.deleted': true,
  'webhook_endpoint.secret_rolled': true,
  'webhook_endpoint.disabled': true,
  'webhook_endpoint.pinged': true,
  'recovery.created': true,
  'recovery.updated': true,
  'recovery.completed': true,
  'recovery.canceled': true,
  'account.created': true,
  'account.updated': true,
  'account.credentials_changed': true,
  'api_key.created': true,
  'api_key.updated': true,
  'api_key.rolled': true,
  'api_key.revoked': true,
  'approval_request.created': true,
  'approval_request.updated': true,
  'approval_request.approved': true,
  'approval_request.rejected': true,
  'approval_request.canceled': true,
  'approval_request.expired': true,
  'approval_request.executed': true,
  'user.created': true,
  'user.updated': true,
  'user.deleted': true,
  'invitation.created': true,
  'invitation.updated': true,
  'invitation.accepted': true,
  'invitation.revoked': true,
};

const families = Map.groupBy(Object.keys(eventTypes), (type) => type.slice(0, type.indexOf('.')));

/** All patterns of types: each family, such as `reference.*`, and then its types. */
export const eventPatterns: readonly string[] = [...families].flatMap(([family, types]) => [`${family}.*`, ...types]);

/** Chooses the events of an endpoint: all, all of a kind of record, or single types. */
export function EventChoice(props: {
  /** As `enabled_events`: `*`, `reference.*`, `reference.completed`. */
  value: readonly string[];
  onChange: (value: string[]) => void;
  error: string | null;
}): ReactNode {
  const { value, onChange, error } = props;
  const chosen = new Set(value);
  const change = (added: readonly string[], removed: readonly string[]): void => {
    onChange([...[...chosen].filter((pattern) => !removed.includes(pattern)), ...added]);
  };
  const isAll = chosen.has('*');
  const [text, setText] = useState('');
  const shown = [...families]
    .map(([family, types]) => ({ family, types, found: types.filter((type) => type.includes(text.trim())) }))
    .filter(({ found }) => found.length > 0);
  return (
    <fieldset className={styles.events}>
      <legend>Events</legend>
      <Switch isSelected={isAll} onChange={(all) => onChange(all ? ['*'] : ['reference.*'])}>
        All events, also of types that come later
      </Switch>
      {!isAll && (
        <TextField
          label="Find an event"
          value={text}
          onChange={setText}
          onKeyDown={(event) => {
            // Enter would send the form.
            if (event.key === 'Enter') event.preventDefault();
          }}
          autoComplete="off"
          spellCheck="false"
          isMono
        />
      )}
      {!isAll && (
        <div className={styles.families}>
          {shown.length === 0 && <p>No event has this in its name.</p>}
          {shown.map(({ family, types, found }) => {
            const whole = `${family}.*`;
            const hasWhole = chosen.has(whole);
            const some = types.filter((type) => chosen.has(type));
            return (
              <div key={family} className={styles.family} role="group" aria-label={whole}>
                <Checkbox
                  isSelected={hasWhole}
                  isIndeterminate={!hasWhole && some.length > 0}
                  onChange={(isOn) => (isOn ? change([whole], types) : change([], [whole, ...types]))}
                >
                  <code>{whole}</code>
                </Checkbox>
                {found.map((type) => (
                  <Checkbox
                    key={type}
                    isSelected={hasWhole || chosen.has(type)}
                    isDisabled={hasWhole}
                    onChange={(isOn) => (isOn ? change([type], []) : change([], [type]))}
                  >
                    <code>{type}</code>
                  </Checkbox>
                ))}
              </div>
            );
          })}
        </div>
      )}
      {error !== null && (
        <p className={styles.fault} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
