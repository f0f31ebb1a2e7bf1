import { useState, type ReactNode } from 'react';
import type { Account, LetterheadInput, Tenure } from 'tenure';
import { Actions, Button, Dialog, FileField, toast } from '@tenure/ui';
import { faultOf, faultOfFile, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { FilePicture } from '../../office/report-file.tsx';
import { idOf } from '../../office/words.ts';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import pageStyles from '../../shell/page.module.css';
import { uploadFile } from '../files/upload.ts';
import styles from './settings.module.css';

/** The logo on reports, bills, statements and the pages of links. It belongs to the letterhead. */
export function LogoSettings({ account }: { account: Account }): ReactNode {
  const { letterhead } = account;
  const [isChoosing, setChoosing] = useState(false);
  const mayWrite = useRefusal('accounts.write');
  const mayUpload = useRefusal('files.write');
  const hasPlace = letterhead === null ? 'Save the letterhead first. The logo is a part of it.' : null;
  const removing = useWrite<null, Account>(
    async (tenure, logo, options) => tenure.account.update({ letterhead: await withLogo(tenure, logo) }, options),
    { onDone: () => toast('The logo is removed.') },
  );
  const logo = letterhead?.logo ? idOf(letterhead.logo) : null;
  return (
    <>
      {letterhead !== null && logo !== null && (
        <FilePicture
          key={logo}
          id={logo}
          className={styles.logo}
          title={`Logo of ${letterhead.name}`}
          broken="The file of the logo is deleted. Choose another one."
        />
      )}
      <p className={pageStyles.quiet}>
        The logo stands at the head of reports, bills and statements, and on the pages of links that you share.
      </p>
      <Actions>
        <GatedButton refusal={mayWrite ?? mayUpload ?? hasPlace} onPress={() => setChoosing(true)}>
          {logo === null ? 'Choose a logo' : 'Replace the logo'}
        </GatedButton>
        {letterhead !== null && logo !== null && (
          <GatedButton refusal={mayWrite} isDisabled={removing.isPending} onPress={() => removing.mutate(null)}>
            Remove the logo
          </GatedButton>
        )}
      </Actions>
      {removing.error !== null && <p role="alert">{removing.error.message}</p>}
      {isChoosing && <LogoDialog isFirst={logo === null} onClose={() => setChoosing(false)} />}
    </>
  );
}

/** Reads the letterhead as it is now, because an update replaces it as a whole. Returns it with a logo. Null if there is none. */
async function withLogo(tenure: Tenure, logo: string | null): Promise<LetterheadInput | null> {
  const { letterhead } = await tenure.account.retrieve();
  return letterhead && { ...letterhead, logo };
}

/** Uploads a logo, and sets it in the letterhead. */
function LogoDialog({ isFirst, onClose }: { isFirst: boolean; onClose: () => void }): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const saving = useWrite<{ key: string }, Account>(
    async (tenure, _, options) => {
      const { id } = await uploadFile(tenure, { file: file!, purpose: 'other' }, options);
      return tenure.account.update({ letterhead: await withLogo(tenure, id) }, options);
    },
    {
      onDone: () => {
        toast('The logo is set.');
        onClose();
      },
    },
  );
  const { error } = saving;
  return (
    <Dialog title={isFirst ? 'Choose a logo' : 'Replace the logo'} isOpen onClose={onClose}>
      <Form
        error={error}
        fields={['file', 'letterhead[logo]']}
        onSubmit={() => file !== null && saving.mutate({ key: `${file.name} ${file.size} ${file.lastModified}` })}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={file === null || saving.isPending}>
              Use this logo
            </Button>
          </Actions>
        }
      >
        <FileField
          label="Logo"
          accept="image/png,image/jpeg"
          hint="A PNG or JPEG, up to 10 MB. It stands on white."
          onChange={setFile}
          error={faultOfFile(error) ?? faultOf(error, 'letterhead[logo]')}
        />
      </Form>
    </Dialog>
  );
}
