import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Actions, Button, CodeBlock, CopyButton, ErrorState, Icon, TextField } from '@tenure/ui';
import { ask } from '../../api/ask.ts';
import { clientFor } from '../../api/client.ts';
import { faultOf, shownError } from '../../api/requests.ts';
import { saveFile } from '../../list/export.ts';
import { QrCode } from './qr-code.tsx';
import styles from './me.module.css';

/** The secret of an authenticator app, which the server shows once. */
export interface TotpSecret {
  secret: string;
  url: string;
}

/** Begins the set-up of an authenticator app. The secret counts once its first code was sent. */
export function beginTotp(): Promise<TotpSecret> {
  return ask(() => clientFor().request<TotpSecret>('POST', '/auth/totp/begin', {}, { maxRetries: 0 }));
}

/** Shows the secret to an authenticator app, asks for its first code, and then shows the recovery codes. */
export function SecondFactorSetup(props: {
  totp: TotpSecret;
  /** Is called when the person has kept the recovery codes. */
  onDone: () => void;
  /** Ends the set-up without a second factor. Without it, there is no such button. */
  onCancel?: () => void;
}): ReactNode {
  const { totp, onDone, onCancel } = props;
  const [code, setCode] = useState('');
  const finishing = useMutation({
    mutationFn: () =>
      ask(() =>
        clientFor().request<{ codes: string[] }>('POST', '/auth/totp/finish', { code: code.trim() }, { maxRetries: 0 }),
      ),
  });
  const { data, error } = finishing;
  if (data) return <RecoveryCodes codes={data.codes} onDone={onDone} />;
  const fault = faultOf(error, 'code');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    finishing.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p>Scan this code with an authenticator app. Then enter the six digits that the app shows.</p>
      <QrCode text={totp.url} label="QR code for an authenticator app" />
      <div className={styles.secret}>
        <span>Or enter this key by hand:</span>
        <code>{totp.secret.match(/.{1,4}/g)?.join(' ')}</code>
        <CopyButton text={totp.secret} label="Copy the key" />
      </div>
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
        isRequired
        isMono
        error={fault}
      />
      {error !== null && fault === null && <ErrorState error={shownError(error)} />}
      <Actions>
        {onCancel && <Button onPress={onCancel}>Cancel</Button>}
        <Button look="primary" type="submit" isDisabled={finishing.isPending}>
          Turn on
        </Button>
      </Actions>
    </form>
  );
}

/** Shows recovery codes, this once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }): ReactNode {
  const text = codes.join('\n');
  return (
    <div className={styles.form}>
      <p>
        Each code signs you in once if you lose your app. Keep them in a safe place:{' '}
        <strong>they are not shown again.</strong>
      </p>
      <CodeBlock title="Recovery codes" text={text} />
      <Actions>
        <Button onPress={() => saveFile('tenure-recovery-codes.txt', 'text/plain', `${text}\n`)}>
          <Icon name="download" size={14} />
          Save as a file
        </Button>
        <Button look="primary" onPress={onDone}>
          I have kept them
        </Button>
      </Actions>
    </div>
  );
}
