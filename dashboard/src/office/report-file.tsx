import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon } from '@tenure/ui';
import { ask } from '../api/ask.ts';
import { useAccountId, useTenure } from '../api/client.ts';
import { useRefusal } from '../api/session.ts';
import { saveBlob } from '../list/export.ts';
import { basePath } from '../place.ts';
import { GatedButton } from '../shell/gated.tsx';
import styles from './office.module.css';

/** A PDF in the viewer of the browser. */
export function FileFrame({ id, title }: { id: string; title: string }): ReactNode {
  const account = useAccountId();
  const refusal = useRefusal('file_contents.read');
  if (refusal !== null) return <p className={styles.quiet}>{refusal}</p>;
  const search = account === undefined ? '' : `?account=${account}`;
  // The viewer of the browser works in no sandbox. The server sends nothing but PDFs into this frame.
  // oxlint-disable-next-line react/iframe-missing-sandbox -- See above.
  return <iframe className={styles.frame} title={title} src={`${basePath}/files/${id}${search}`} />;
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
