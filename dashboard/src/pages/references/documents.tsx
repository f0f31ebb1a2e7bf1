import { useState, type ReactNode } from 'react';
import type { File as FileRecord, Reference } from 'tenure';
import { Link } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { Moment } from '../../office/moment.tsx';
import styles from '../../office/office.module.css';
import { GatedButton } from '../../shell/gated.tsx';
import { Section } from '../../shell/page.tsx';
import { purposeText } from '../files/file-words.ts';
import { UploadDialog } from '../files/upload-dialog.tsx';
import { personOf } from './reference-words.ts';

const sentRead = defineRead<FileRecord[], { customer: string }>(async (tenure, { customer }, options) => {
  const { data } = await tenure.files.list({ customer, limit: 50 }, options).page();
  return data;
});

/** The documents for a check by hand. The person sends them on their own page, or the office adds them. */
export function Documents({ reference }: { reference: Reference }): ReactNode {
  const person = personOf(reference);
  const mayRead = useRefusal('files.read') === null;
  const refusal = useRefusal('files.write');
  const { data: sent = [] } = useRead(sentRead, { customer: person?.id ?? '' }, { isOn: person !== null && mayRead });
  const [added, setAdded] = useState<{ id: string; filename: string }[]>([]);
  const [isAdding, setAdding] = useState(false);
  return (
    <Section
      title="Documents"
      actions={
        <GatedButton refusal={refusal} isInGroup onPress={() => setAdding(true)}>
          Add a document
        </GatedButton>
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
            <span>Added now</span>
            <span>
              <Link href={`/files/${id}`}>{filename}</Link>
            </span>
          </li>
        ))}
      </ul>
      <p className={styles.quiet}>
        Add payslips and photos here. They stand in Files, and not with the person: delete them there when you no longer
        need them. You can also send the person a link on their page, so that they send their documents themselves.
      </p>
      {isAdding && (
        <UploadDialog
          onClose={() => setAdding(false)}
          onDone={(id, filename) => setAdded([...added, { id, filename }])}
        />
      )}
    </Section>
  );
}
