import { useState, type ReactNode } from 'react';
import type { Account, Letterhead, LetterheadInput, Tenure } from 'tenure';
import { Actions, Button, Dialog, FileField, TextField, toast } from '@tenure/ui';
import { faultOf, useWrite } from '../../api/requests.ts';
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
        <GatedButton refusal={mayWrite ?? mayUpload} onPress={() => setChoosing(true)}>
          {logo === null ? 'Choose a logo' : 'Replace the logo'}
        </GatedButton>
        {letterhead !== null && logo !== null && (
          <GatedButton refusal={mayWrite} isDisabled={removing.isPending} onPress={() => removing.mutate(null)}>
            Remove the logo
          </GatedButton>
        )}
      </Actions>
      {removing.error !== null && <p role="alert">{removing.error.message}</p>}
      {isChoosing && <LogoDialog letterhead={letterhead} onClose={() => setChoosing(false)} />}
    </>
  );
}

/** Reads the letterhead as it is now, because an update replaces it as a whole. Returns it with a logo. Null if there is none. */
async function withLogo(tenure: Tenure, logo: string | null): Promise<LetterheadInput | null> {
  const { letterhead } = await tenure.account.retrieve();
  return letterhead && { ...letterhead, logo };
}

const noSender = { name: '', line1: '', city: '', postal_code: '', country: 'GB' };
const senderFields = ['name', 'line1', 'city', 'postal_code', 'country'] as const;

function paramOf(name: (typeof senderFields)[number]): string {
  return name === 'name' ? 'letterhead[name]' : `letterhead[address][${name}]`;
}

/** Uploads a logo. Without a letterhead, it asks for the sender, which stands beside the logo. */
function LogoDialog({ letterhead, onClose }: { letterhead: Letterhead | null; onClose: () => void }): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const [sender, setSender] = useState(noSender);
  const saving = useWrite<{ key: string; sender: typeof noSender }, Account>(
    async (tenure, { sender: { name, ...address } }, options) => {
      const { id } = await uploadFile(tenure, { file: file!, purpose: 'other' }, options);
      const present = await withLogo(tenure, id);
      return tenure.account.update({ letterhead: present ?? { name, address, logo: id } }, options);
    },
    {
      onDone: () => {
        toast('The logo is set.');
        onClose();
      },
    },
  );
  const { error } = saving;
  const field = (name: keyof typeof noSender, label: string): ReactNode => (
    <TextField
      label={label}
      value={sender[name]}
      onChange={(text) => setSender({ ...sender, [name]: text })}
      isRequired
      error={faultOf(error, paramOf(name))}
    />
  );
  return (
    <Dialog title={letterhead?.logo ? 'Replace the logo' : 'Choose a logo'} isOpen onClose={onClose}>
      <Form
        error={error}
        fields={['file', 'letterhead[logo]', ...senderFields.map(paramOf)]}
        onSubmit={() =>
          file !== null && saving.mutate({ key: `${file.name} ${file.size} ${file.lastModified}`, sender })
        }
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
          error={faultOf(error, 'file') ?? faultOf(error, 'letterhead[logo]')}
        />
        {letterhead === null && (
          <>
            <p className={pageStyles.quiet}>Beside the logo stand your name and address.</p>
            {field('name', 'Name of the sender')}
            {field('line1', 'House and street')}
            {field('city', 'Town or city')}
            {field('postal_code', 'Postcode')}
            {field('country', 'Country code')}
          </>
        )}
      </Form>
    </Dialog>
  );
}
