import { useState, type ReactNode } from 'react';
import type { File as FileRecord, FilesCreateParams } from 'tenure';
import { Actions, Button, Dialog, FileField, Select, toast } from '@tenure/ui';
import { useAccountId } from '../../api/client.ts';
import { faultOf, faultOfFile, useWrite } from '../../api/requests.ts';
import { Form } from '../../shell/form.tsx';
import styles from '../../office/office.module.css';
import { acceptedTypes, purposes, sizeText } from './file-words.ts';
import { uploadWithProgress } from './upload.ts';

/** Adds a file, and shows how much of it has been sent. */
export function UploadDialog({
  title = 'Add a file',
  reference,
  onClose,
  onDone,
}: {
  title?: string;
  /** The check for which the file is evidence. */
  reference?: string;
  onClose: () => void;
  onDone?: (id: string) => void;
}): ReactNode {
  const account = useAccountId();
  const [file, setFile] = useState<File | null>(null);
  const [purpose, setPurpose] = useState<string>('income_evidence');
  const [share, setShare] = useState(0);
  const uploading = useWrite<{ name: string; size: number; purpose: string }, FileRecord>(
    (_, input, options) => {
      setShare(0);
      const upload = { file: file!, purpose: input.purpose as FilesCreateParams['purpose'], reference };
      return uploadWithProgress(account, upload, options, setShare);
    },
    {
      onDone: ({ id }) => {
        toast('The file is added.');
        onClose();
        onDone?.(id);
      },
    },
  );
  const { error, isPending } = uploading;
  const percent = Math.round(share * 100);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        error={error}
        fields={['file', 'purpose']}
        onSubmit={() => file !== null && uploading.mutate({ name: file.name, size: file.size, purpose })}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={file === null || isPending}>
              Add
            </Button>
          </Actions>
        }
      >
        <FileField
          label="File"
          accept={acceptedTypes}
          hint="A PDF or a photo (JPEG or PNG), up to 10 MB. A photo is stored without the place where it was taken."
          onChange={setFile}
          error={faultOfFile(error)}
        />
        <Select
          label="Kind"
          choices={purposes}
          value={purpose}
          onChange={setPurpose}
          error={faultOf(error, 'purpose')}
        />
        {isPending && file !== null && (
          <div className={styles.lines}>
            <progress className={styles.progress} max={100} value={percent} aria-label="Sent" />
            <p className={styles.quiet}>
              {percent} % of {sizeText(file.size)} sent
            </p>
          </div>
        )}
      </Form>
    </Dialog>
  );
}
