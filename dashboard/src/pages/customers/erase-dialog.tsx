import { useState, type ReactNode } from 'react';
import type { Customer, DeletedCustomer, ErasurePreview } from 'tenure';
import { Actions, Button, Dialog, ErrorState, Link, Skeleton, TextField, toast } from '@tenure/ui';
import { defineRead, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useSession } from '../../api/session.ts';
import { Notice } from '../../office/parts.tsx';
import styles from '../../office/office.module.css';
import { dayText } from '../../office/words.ts';
import { officePathOfId, prefixOf } from '../../shell/navigation.ts';
import { filesText, keptText } from './hold-words.ts';

const previewRead = defineRead<ErasurePreview, { id: string }>((tenure, { id }, options) =>
  tenure.customers.retrieveErasure(id, {}, options),
);

/** Erases a person. It says what goes and what stays, and wants the name typed. */
export function EraseDialog({ person, onClose }: { person: Customer; onClose: () => void }): ReactNode {
  const erasing = useWrite<string, DeletedCustomer>((tenure, id, options) => tenure.customers.delete(id, options), {
    onDone: () => {
      toast('The person is erased.');
      // The same page now says what the law keeps, and until when.
      onClose();
    },
  });
  // There is no preview of a person that is erased, and this page stays until the next one is loaded.
  const preview = useRead(previewRead, { id: person.id }, { isOn: erasing.isIdle || erasing.isError });
  const isPrevented = preview.data !== undefined && preview.data.prevented_by.length > 0;
  return (
    <Dialog title={`Erase ${person.name}?`} isOpen isWide onClose={onClose} role="alertdialog">
      {preview.error !== null && <ErrorState error={shownError(preview.error)} />}
      {preview.data === undefined && preview.error === null && <Skeleton />}
      {preview.data && isPrevented && <Prevented preview={preview.data} onClose={onClose} />}
      {preview.data && !isPrevented && (
        <Confirm person={person} preview={preview.data} erasing={erasing} onClose={onClose} />
      )}
    </Dialog>
  );
}

const obstacles: Readonly<Record<string, { name: string; text: string }>> = {
  ten: { name: 'Tenancy', text: 'It still runs, or its rent is not settled. End it, and settle the rent.' },
  dep: { name: 'Deposit', text: 'It is still held. Return, use or release it.' },
  gua: { name: 'Guarantee', text: 'The person still stands by a tenancy or an application. Release the guarantor.' },
};

/** Says why the person cannot be erased yet, with a link to each record. */
function Prevented({ preview, onClose }: { preview: ErasurePreview; onClose: () => void }): ReactNode {
  const records = [...new Set(preview.prevented_by.map(({ record }) => record))];
  return (
    <div className={styles.lines}>
      <Notice tone="warning" title="This person cannot be erased yet">
        <p>A let still needs the data. First do this:</p>
        <ul>
          {records.map((record) => {
            const { name, text } = obstacles[prefixOf(record) ?? ''] ?? { name: 'Record', text: 'It needs the data.' };
            const href = officePathOfId(record);
            return (
              <li key={record}>
                {href === null ? name : <Link href={href}>{name}</Link>}: {text}
              </li>
            );
          })}
        </ul>
      </Notice>
      <Actions>
        <Button onPress={onClose}>Close</Button>
      </Actions>
    </div>
  );
}

function Confirm({
  person,
  preview,
  erasing,
  onClose,
}: {
  person: Customer;
  preview: ErasurePreview;
  erasing: ReturnType<typeof useWrite<string, DeletedCustomer>>;
  onClose: () => void;
}): ReactNode {
  const [typed, setTyped] = useState('');
  const { retention_days: days } = useSession();
  const isTyped = typed.trim().localeCompare(person.name.trim(), undefined, { sensitivity: 'base' }) === 0;
  const goes = new Map(preview.erased.map(({ object, number }) => [object, number]));
  return (
    <form
      className={styles.lines}
      onSubmit={(event) => {
        event.preventDefault();
        if (isTyped) erasing.mutate(person.id);
      }}
    >
      <div className={styles.kept}>
        <section aria-label="What goes">
          <h3>What goes, for good</h3>
          <ul>
            <li>Name, e-mail, phone, date of birth and addresses</li>
            <li>The findings and notes of all checks of this person ({goes.get('reference') ?? 0})</li>
            <li>Reports, evidence and papers of this person ({goes.get('file') ?? 0})</li>
            <li>The person’s data in the history</li>
            <li>Checks that are under way: they are cancelled</li>
          </ul>
        </section>
        <section aria-label="What stays">
          <h3>What stays</h3>
          <ul>
            <li>That there was a check, when it was, and its outcome</li>
            <li>Applications, tenancies and rent, without the person’s name</li>
            <li>Files that belong to no person and no check: delete them under Files</li>
            <li>Who did what and when in the history, without personal data, for {days} days</li>
          </ul>
        </section>
        <section aria-label="What the law makes you keep">
          <h3>What the law makes you keep</h3>
          {preview.holds.length === 0 ? (
            <p>Nothing.</p>
          ) : (
            <ul>
              {preview.holds.map((hold) => (
                <li key={hold.kind}>
                  {keptText(hold.kind)}
                  {filesText(hold.files.length)}, until {dayText(hold.until)}. Why: {hold.basis}
                </li>
              ))}
            </ul>
          )}
        </section>
      </div>
      <p>
        This cannot be undone.{' '}
        {preview.holds.length > 0 &&
          'What the law makes you keep is locked away. Owners and admins can reveal it with a reason, and it is erased when its time is over. '}
        Backups of the server keep the data until they are deleted.
      </p>
      <TextField
        label={`Type the name to confirm: ${person.name}`}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        spellCheck="false"
      />
      {erasing.error !== null && <ErrorState error={shownError(erasing.error)} />}
      <Actions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" type="submit" isDisabled={!isTyped || erasing.isPending}>
          Erase for good
        </Button>
      </Actions>
    </form>
  );
}
