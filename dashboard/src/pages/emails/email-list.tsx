import type { ReactNode } from 'react';
import { operations, type Email } from 'tenure';
import { Details, Link, Time } from '@tenure/ui';
import { curlOf } from '../../curl.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { RecordList } from '../../list/list-page.tsx';
import { timeFilters, withCreated, type TimeFilter } from '../../list/time-filters.ts';
import { emailListRoute } from '../../routes.tsx';
import { LinkedId } from '../../shell/linked-id.tsx';
import { Page, Section } from '../../shell/page.tsx';
import styles from './emails.module.css';

const list: ListDefinition<Email, TimeFilter | 'to'> = {
  title: 'E-mails',
  noun: 'e-mails',
  pageSize: 10,
  load: (tenure, params, options) => tenure.testHelpers.emails.list(withCreated(params), options),
  filters: [{ name: 'to', label: 'To', placeholder: 'e.g. ada@example.com' }, ...timeFilters],
  empty: {
    title: 'No e-mails yet',
    text: 'A sandbox sends no e-mails. It keeps them here: send a link to a file, or invite a person to the team.',
    curl: curlOf(operations.testHelpers.emails.list),
  },
};

/** The e-mails that a sandbox keeps, as their recipients would read them. */
export function EmailListPage(): ReactNode {
  return (
    <Page title={list.title}>
      <RecordList list={list} search={emailListRoute.useSearch()}>
        {(emails) => emails.map((email) => <EmailSection key={email.id} email={email} />)}
      </RecordList>
    </Page>
  );
}

/** One e-mail. Its plain text is shown, and not its HTML, which has the same words. */
function EmailSection({ email }: { email: Email }): ReactNode {
  const { from, to, reply_to: replyTo, about, created, subject, text, link } = email;
  const [before = '', ...after] = link === null ? [text] : text.split(link);
  return (
    <Section title={subject}>
      <Details
        items={[
          ['From', from],
          ['To', to],
          ['Replies to', replyTo],
          ['About', <LinkedId key="about" id={about} />],
          ['Time', <Time key="time" at={created} />],
        ]}
      />
      <p className={styles.text}>
        {before}
        {link !== null && (
          <>
            <Link href={link} target="_blank">
              {link}
            </Link>
            {after.join(link)}
          </>
        )}
      </p>
    </Section>
  );
}
