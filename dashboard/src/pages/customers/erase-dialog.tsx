import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Customer, DeletedCustomer } from 'tenure';
import { Actions, Button, Dialog, ErrorState, TextField, toast } from '@tenure/ui';
import { shownError, useWrite } from '../../api/requests.ts';
import { useSession } from '../../api/session.ts';
import styles from '../../office/office.module.css';

/** Erases a person. It says what goes and what stays, and wants the name typed. */
export function EraseDialog({ person, onClose }: { person: Customer; onClose: () => void }): ReactNode {
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const { retention_days: days } = useSession();
  const erasing = useWrite<string, DeletedCustomer>((tenure, id, options) => tenure.customers.delete(id, options), {
    onDone: () => {
      toast('The person is erased.');
      void navigate({ to: '/customers', search: {} });
    },
  });
  const isTyped = typed.trim().localeCompare(person.name.trim(), undefined, { sensitivity: 'base' }) === 0;
  return (
    <Dialog title={`Erase ${person.name}?`} isOpen isWide onClose={onClose} role="alertdialog">
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
              <li>The findings and notes of all checks of this person</li>
              <li>The reports of these checks, as PDF</li>
              <li>The person’s data in the history</li>
              <li>Checks that are under way: they are cancelled</li>
            </ul>
          </section>
          <section aria-label="What stays">
            <h3>What stays</h3>
            <ul>
              <li>That there was a check, when it was, and its outcome</li>
              <li>Applications, without the person’s name</li>
              <li>Who did what and when in the history, without personal data, for {days} days</li>
              <li>Tenancies and rent that the law makes you keep, without the person’s name</li>
              <li>Files that no check names: delete these yourself</li>
            </ul>
          </section>
        </div>
        <p>
          This cannot be undone. Backups of the server keep the data until they are deleted. A tenant can be erased once
          the tenancy has ended.
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
    </Dialog>
  );
}
