import { useState, type ReactNode } from 'react';
import type { File as FileRecord, Reference } from 'tenure';
import { ErrorState, Link } from '@tenure/ui';
import { defineRead, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { Moment } from '../../office/moment.tsx';
import styles from '../../office/office.module.css';
import { GatedButton } from '../../shell/gated.tsx';
import { Section } from '../../shell/page.tsx';
import { purposeText } from '../files/file-words.ts';
import { UploadDialog } from '../files/upload-dialog.tsx';
import { addedDocuments, documentKey, isOpen, personOf } from './reference-words.ts';

const sentRead = defineRead<FileRecord[], { customer: string }>(async (tenure, { customer }, options) => {
  const { data } = await tenure.files.list({ customer, limit: 50 }, options).page();
  return data;
});

/**
 * The documents for a check by hand. The person sends them on their own page, or the office adds them. A file names no check, so the
 * metadata of the check names the files of the office.
 */
export function Documents({ reference }: { reference: Reference }): ReactNode {
  const person = personOf(reference);
  const mayRead = useRefusal('files.read') === null;
  const mayUpload = useRefusal('files.write');
  const mayNote = useRefusal('references.write');
  const { data: sent = [] } = useRead(sentRead, { customer: person?.id ?? '' }, { isOn: person !== null && mayRead });
  const added = addedDocuments(reference);
  const [isAdding, setAdding] = useState(false);
  const noting = useWrite<{ id: string; filename: string }, Reference>((tenure, { id, filename }, options) =>
    tenure.references.update(reference.id, { metadata: { [documentKey(id)]: filename } }, options),
  );
  const open = isOpen(reference);
  if (!open && sent.length === 0 && added.length === 0) return null;
  return (
    <Section
      title="Documents"
      actions={
        open && (
          <GatedButton refusal={mayUpload ?? mayNote} isInGroup onPress={() => setAdding(true)}>
            Add a document
          </GatedButton>
        )
      }
    >
      <ul className={styles.lines} aria-label="Documents">
        {sent.map(({ id, filename, purpose, created }) => (
          <li key={id} className={styles.line}>
            <Moment at={created} />
            <span>
              <Link href={`/files/${id}`}>{filename}</Link> {purposeText(purpose)}, sent by the person
            </span>
          </li>
        ))}
        {added.map(({ id, filename }) => (
          <li key={id} className={styles.line}>
            <span>
              <Link href={`/files/${id}`}>{filename}</Link> added by your office
            </span>
          </li>
        ))}
      </ul>
      {noting.error !== null && <ErrorState error={shownError(noting.error)} />}
      {open && (
        <p className={styles.quiet}>
          Add payslips and photos here, or send the person a link on their page, so that they send them. Erasing the
          person does not delete what your office adds: delete it under Files when you no longer need it.
        </p>
      )}
      {isAdding && (
        <UploadDialog
          title="Add a document"
          onClose={() => setAdding(false)}
          onDone={(id, filename) => noting.mutate({ id, filename })}
        />
      )}
    </Section>
  );
}
