import type { ReactNode } from 'react';
import { Badge, type Tone } from '@tenure/ui';

interface Emailed {
  email_status: string | null;
  email_failure: string | null;
}

const words: Record<string, { tone: Tone; text: string }> = {
  queued: { tone: 'waiting', text: 'On its way' },
  sent: { tone: 'good', text: 'Sent' },
  failed: { tone: 'bad', text: 'Not sent' },
  kept: { tone: 'neutral', text: 'Kept in the sandbox' },
};

/** The state of the e-mail with a link, and why it could not be sent. A newer server may know other states. */
export function EmailState({ of: { email_status: status, email_failure: failure } }: { of: Emailed }): ReactNode {
  if (status === null) return '–';
  const { tone, text } = words[status] ?? { tone: 'neutral', text: status };
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      {failure !== null && <> {failure}</>}
    </>
  );
}
