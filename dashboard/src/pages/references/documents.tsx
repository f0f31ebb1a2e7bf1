import { useState, type ReactNode } from 'react';
import type { File as FileRecord, Reference } from 'tenure';
import { Link } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { Moment } from '../../office/account-time.tsx';
import styles from '../../office/office.module.css';
import { GatedButton } from '../../shell/gated.tsx';
import { Section } from '../../shell/page.tsx';
import { purposeText } from '../files/file-words.ts';
import { UploadDialog } from '../files/upload-dialog.tsx';
import { documentsInMetadata, isOpen, personOf } from './reference-words.ts';

/** The most documents of each origin that a check shows. */
const documentsMax = 50;

/** The newest files that a person has sent, or that the office has added for a check. */
const filesRead = defineRead<{ files: FileRecord[]; hasMore: boolean }, { customer: string } | { reference: string }>(
  async (tenure, filter, options) => {
    const { data, has_more: hasMore } = await tenure.files.list({ ...filter, limit: documentsMax }, options).page();
    return { files: data, hasMore };
  },
);

const none = { files: [], hasMore: false };

/**
 * The documents for a check by hand. The person sends them on their own page, or the office adds them. The metadata of an older check can
 * name documents of the office, too.
 */
export function Documents({ reference }: { reference: Reference }): ReactNode {
  const person = personOf(reference);
  const mayRead = useRefusal('files.read') === null;
  const mayUpload = useRefusal('files.write');
  const isOn = person !== null && mayRead;
  const { data: ofPerson = none } = useRead(filesRead, { customer: person?.id ?? '' }, { isOn });
  const { data: ofOffice = none } = useRead(filesRead, { reference: reference.id }, { isOn: mayRead });
  const [sent, added] = [ofPerson.files, ofOffice.files];
  const listed = new Set([...sent, ...added].map(({ id }) => id));
  const earlier = documentsInMetadata(reference).filter(({ id }) => !listed.has(id));
  const [isAdding, setAdding] = useState(false);
  const open = isOpen(reference);
  if (!open && sent.length + added.length + earlier.length === 0) return null;
  return (
    <Section
      title="Documents"
      actions={
        open && (
          <GatedButton refusal={mayUpload} isInGroup onPress={() => setAdding(true)}>
            Add a document
          </GatedButton>
        )
      }
    >
      <ul className={styles.lines} aria-label="Documents">
        {[...sent, ...added].map(({ id, filename, purpose, created, customer }) => (
          <li key={id} className={styles.line}>
            <Moment at={created} />
            <span>
              <Link href={`/files/${id}`}>{filename}</Link> {purposeText(purpose)},{' '}
              {customer === null ? 'added by your office' : 'sent by the person'}
            </span>
          </li>
        ))}
        {earlier.map(({ id, filename }) => (
          <li key={id} className={styles.line}>
            <span>
              <Link href={`/files/${id}`}>{filename}</Link> added by your office earlier
            </span>
          </li>
        ))}
      </ul>
      {ofPerson.hasMore && <More origin="from the person" />}
      {ofOffice.hasMore && <More origin="from your office" />}
      {open && (
        <p className={styles.quiet}>
          Add payslips and photos here, or send the person a link on their page, so that they send them. Erasing the
          person deletes them, too.
        </p>
      )}
      {earlier.length > 0 && (
        <p className={styles.quiet}>
          Erasing the person does not delete what your office added earlier. Delete it under Files when you no longer
          need it.
        </p>
      )}
      {isAdding && <UploadDialog title="Add a document" reference={reference.id} onClose={() => setAdding(false)} />}
    </Section>
  );
}

/** Says that a check has more documents than it shows. */
function More({ origin }: { origin: string }): ReactNode {
  return (
    <p className={styles.quiet}>
      The newest {documentsMax} documents {origin} are shown. The others are under <Link href="/files">Files</Link>.
    </p>
  );
}
