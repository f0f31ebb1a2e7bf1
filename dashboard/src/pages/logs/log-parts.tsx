import type { ComponentProps, ReactNode } from 'react';
import type { Log } from 'tenure';
import { Badge, type Tone } from '@tenure/ui';
import { KeyName } from '../api-keys/key-name.tsx';
import styles from './logs.module.css';

/** The status, the method and the path of a request. A refusal needs attention, a failure is the server's. */
export function RequestLine({ status, method, path }: { status: number; method: string; path: string }): ReactNode {
  const tone: Tone = status < 400 ? 'good' : status < 500 ? 'warning' : 'bad';
  return (
    <span className={styles.request}>
      <Badge tone={tone}>{status}</Badge> <span className={styles.method}>{method}</span> {path}
    </span>
  );
}

/** A request in a table. A long path has several lines, because its end tells what was done. */
export function RequestCell(request: ComponentProps<typeof RequestLine>): ReactNode {
  return (
    <span className={styles.cell}>
      <RequestLine {...request} />
    </span>
  );
}

/** The person or the key that made a request. */
export function Caller({ log: { user_email: email, user_id: user, key_id: key } }: { log: Log }): ReactNode {
  return email ?? user ?? (key === null ? '–' : <KeyName id={key} />);
}
