import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Icon } from '@tenure/ui';
import { ask } from '../api/ask.ts';
import { useAccountId, useTenure } from '../api/client.ts';
import { useRefusal } from '../api/session.ts';
import { saveBlob } from '../list/export.ts';
import { basePath } from '../base-url.ts';
import { GatedButton } from '../shell/gated.tsx';
import styles from './office.module.css';

/** A file of any type, shown in the page. */
export function FileContents({ id, title, type }: { id: string; title: string; type: string }): ReactNode {
  return type.startsWith('image/') ? <FilePicture id={id} title={title} /> : <FileFrame id={id} title={title} />;
}

/** A picture, as wide as the page at most. */
export function FilePicture({
  id,
  title,
  className = styles.picture,
  broken = 'The picture cannot be shown now. Load the page again, or download it.',
}: {
  id: string;
  title: string;
  className?: string | undefined;
  /** What to say if the picture does not load. */
  broken?: string;
}): ReactNode {
  const account = useAccountId();
  const refusal = useRefusal('file_contents.read');
  const [isBroken, setBroken] = useState(false);
  if (refusal !== null) return <p className={styles.quiet}>{refusal}</p>;
  if (isBroken) return <p role="alert">{broken}</p>;
  return <img className={className} alt={title} src={pathOf(id, account)} onError={() => setBroken(true)} />;
}

/** A PDF in the viewer of the browser. */
export function FileFrame({ id, title }: { id: string; title: string }): ReactNode {
  const account = useAccountId();
  const refusal = useRefusal('file_contents.read');
  if (refusal !== null) return <p className={styles.quiet}>{refusal}</p>;
  // The viewer of the browser works in no sandbox. The server sends nothing but PDFs into this frame.
  // oxlint-disable-next-line react/iframe-missing-sandbox -- See above.
  return <iframe className={styles.frame} title={title} src={`${pathOf(id, account)}${frameView}`} />;
}

/** The column of small pages would take half of a narrow window. */
const frameView = '#navpanes=0&view=FitH';

/** Returns the address of the bytes, for a page. */
function pathOf(id: string, account: string | undefined): string {
  return `${basePath}/files/${id}${account === undefined ? '' : `?account=${account}`}`;
}

/** Saves a file under a name that people understand. */
export function DownloadButton({ id, name }: { id: string; name: string }): ReactNode {
  const tenure = useTenure();
  const refusal = useRefusal('file_contents.read');
  const saving = useMutation({
    mutationFn: async () => {
      const response = await ask(() => tenure.files.contents(id));
      saveBlob(name, await response.blob());
    },
  });
  return (
    <>
      <GatedButton refusal={refusal} isInGroup isDisabled={saving.isPending} onPress={() => saving.mutate()}>
        <Icon name="download" size={14} />
        Download
      </GatedButton>
      {saving.error !== null && <p role="alert">{saving.error.message}</p>}
    </>
  );
}
