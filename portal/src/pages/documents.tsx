import { useRef, useState, type ChangeEvent, type ReactNode } from 'react';
import { classes } from '@tenure/ui/classes';
import { dayOfMoment } from '@tenure/ui/words';
import { PortalError, upload } from '../api/client.ts';
import { refresh } from '../api/reads.ts';
import type { SentFile } from '../api/shapes.ts';
import { Actions, Button } from '../kit/button.tsx';
import { Select } from '../kit/field.tsx';
import kit from '../kit/kit.module.css';
import { Card, Live, Notice, Quiet, Rows } from '../kit/parts.tsx';
import { previewOf, smaller } from '../picture.ts';
import { useMe } from '../shell/context.ts';
import { AskAgent, Loaded, Page, Step } from '../shell/page.tsx';
import { errorText, purposes, purposeText, sizeText } from '../words.ts';
import { More, useList } from './long-list.tsx';
import styles from './documents.module.css';

/** Documents that the person has sent, and a form for another one. */
export function DocumentsPage(): ReactNode {
  const { time_zone: zone } = useMe();
  const files = useList<SentFile>('files');
  return (
    <Page title="My documents" lead="Send documents as a photo or a file. Only your agent sees them.">
      <SendDocument />
      <Card title="What you have sent">
        <Loaded of={files}>
          {({ data }) =>
            data.length === 0 ? (
              <p>You have sent nothing yet.</p>
            ) : (
              <>
                <Rows
                  label="What you have sent"
                  rows={data.map(({ id, filename, purpose, size, created }) => ({
                    id,
                    main: (
                      <>
                        {filename}
                        <Quiet>
                          {purposeText(purpose)}, {sizeText(size)}
                        </Quiet>
                      </>
                    ),
                    end: <Quiet>{dayOfMoment(created, zone)}</Quiet>,
                  }))}
                />
                <More list={files} />
                <p>
                  <Quiet>
                    Did you send the wrong one? Send the right one too, and tell <AskAgent />. They can delete the
                    other.
                  </Quiet>
                </p>
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

/** The server refuses a larger file. */
const sizeMax = 10_000_000;
const types = ['application/pdf', 'image/jpeg', 'image/png'];

/** Returns why a file cannot be sent, or null. */
function refusalOf({ type, size, name }: File): string | null {
  if (!types.includes(type))
    return `“${name}” is not a PDF, a JPEG or a PNG. Save it as one of these, or photograph the document from here.`;
  if (size > sizeMax)
    return `“${name}” has ${sizeText(size)}. A file can have 10 MB at most. Send its pages one by one.`;
  return size === 0 ? `“${name}” is empty. Choose another file.` : null;
}

/** Returns why the server has refused a file. */
function refusalText(error: PortalError, name: string): string {
  if (error.code === 'body_too_large') return `“${name}” is too large. A file can have 10 MB at most.`;
  if (error.faults.some(({ param }) => param === 'file'))
    return `“${name}” was refused. It is damaged, or has a script or another file in it. Print it to a new PDF and send that, or photograph the document.`;
  return errorText(error);
}

/** A file that the person looks at before it is sent. */
interface Chosen {
  file: File;
  preview: string | null;
}

type Sending =
  | { state: 'sending'; name: string; share: number; stop: () => void }
  | { state: 'sent'; name: string }
  | { state: 'refused'; text: string };

function SendDocument(): ReactNode {
  const [purpose, setPurpose] = useState<string>('identity_document');
  const [sending, setSending] = useState<Sending | null>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const choose = async (first: File): Promise<void> => {
    setSending(null);
    const isLargePhoto = first.type.startsWith('image/') && first.size > sizeMax;
    const file = (isLargePhoto && (await smaller(first))) || first;
    const refusal = refusalOf(file);
    if (refusal !== null) return setSending({ state: 'refused', text: refusal });
    setChosen({ file, preview: await previewOf(file) });
  };
  const close = (): void => {
    setChosen(null);
    title.current?.focus();
  };
  const send = async ({ file }: Chosen): Promise<void> => {
    close();
    const form = new FormData();
    form.append('purpose', purpose);
    form.append('file', file);
    const { name } = file;
    const { result, stop } = upload<SentFile>('files', form, (share) =>
      setSending({ state: 'sending', name, share, stop }),
    );
    setSending({ state: 'sending', name, share: 0, stop });
    try {
      await result;
      setSending({ state: 'sent', name });
      await refresh();
    } catch (error) {
      // A file can be stored although its response was lost, or although the person has stopped.
      await refresh();
      if (error instanceof PortalError) setSending({ state: 'refused', text: refusalText(error, name) });
      else setSending(null);
    }
  };
  const isBusy = sending?.state === 'sending';
  return (
    <Card title="Send a document" titleRef={title}>
      {chosen === null ? (
        <>
          <Select
            label="What is it?"
            hint={purposes[purpose]?.example}
            value={purpose}
            onChange={setPurpose}
            choices={Object.entries(purposes).map(([value, { name }]) => [value, name] as const)}
          />
          <p className={kit.hint}>A PDF, JPEG or PNG. All corners must be visible, and the text sharp.</p>
          <div className={kit.actions}>
            <FileButton isCamera isBusy={isBusy} onFile={choose}>
              Take a photo
            </FileButton>
            <FileButton isBusy={isBusy} onFile={choose}>
              Choose a file
            </FileButton>
          </div>
        </>
      ) : (
        <Step title="Send this?">
          {chosen.preview !== null && <img className={styles.preview} src={chosen.preview} alt="What you send" />}
          <p className={styles.name}>
            “{chosen.file.name}”, {sizeText(chosen.file.size)}, as {purposeText(purpose).toLowerCase()}
          </p>
          <Actions>
            <Button look="primary" onPress={() => void send(chosen)}>
              Send
            </Button>
            <Button onPress={close}>Choose another</Button>
          </Actions>
        </Step>
      )}
      <Live>
        {sending?.state === 'sending' && <Progress {...sending} />}
        {sending?.state === 'sent' && (
          <Notice tone="good">
            <p>We have received “{sending.name}”. You can send another document.</p>
          </Notice>
        )}
      </Live>
      {sending?.state === 'refused' && (
        <Notice tone="bad" role="alert">
          <p>{sending.text}</p>
        </Notice>
      )}
    </Card>
  );
}

function Progress({ name, share, stop }: { name: string; share: number; stop: () => void }): ReactNode {
  // All has been sent, and the server checks it.
  const isChecked = share === 1;
  return (
    <div className={styles.progress}>
      <label>
        <span>{isChecked ? `Checking “${name}”…` : `Sending “${name}”…`}</span>
        <progress value={isChecked ? undefined : share} max={1} />
      </label>
      {/* A stop now would end the wait, and not the storage. */}
      {!isChecked && (
        <div>
          <Button onPress={stop}>Stop</Button>
        </div>
      )}
    </div>
  );
}

/** A control of the browser that looks like a button. On a phone, one opens the camera and the other the files. */
function FileButton(props: {
  isCamera?: boolean;
  isBusy: boolean;
  onFile: (file: File) => Promise<void>;
  children: string;
}): ReactNode {
  const { isCamera, isBusy, onFile, children } = props;
  const choose = (event: ChangeEvent<HTMLInputElement>): void => {
    const [file] = event.target.files ?? [];
    if (file) void onFile(file);
    // The same file can then be chosen again.
    event.target.value = '';
  };
  return (
    <label className={classes(kit.button, !isCamera && styles.file, isCamera && styles.camera, kit.primary)}>
      <input
        className={kit.hidden}
        type="file"
        accept={isCamera ? 'image/jpeg,image/png' : types.join(',')}
        capture={isCamera ? 'environment' : undefined}
        disabled={isBusy}
        onChange={choose}
      />
      {children}
    </label>
  );
}
