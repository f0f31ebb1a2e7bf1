import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { FilesListParams } from 'tenure';
import { Button, Icon } from '@tenure/ui';
import { useRefusal } from '../../api/session.ts';
import { Moment } from '../../office/account-time.tsx';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { fileListRoute } from '../../routes.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { purposes, purposeText, sizeText } from './file-words.ts';
import { titleOf, withPeople, type NamedFile } from './named-files.ts';
import { UploadDialog } from './upload-dialog.tsx';

const fileList: ListDefinition<NamedFile, 'purpose'> = {
  title: 'Files',
  noun: 'files',
  load: async (tenure, params, options) => {
    const page = await tenure.files.list(params as FilesListParams, options);
    return { ...page, data: await withPeople(tenure, page.data, options) };
  },
  hrefOf: ({ id }) => `/files/${id}`,
  columns: [
    { title: 'Name', cell: titleOf },
    { title: 'Kind', cell: ({ purpose }) => purposeText(purpose) },
    { title: 'Size', align: 'end', cell: ({ size }) => sizeText(size) },
    { title: 'Added', align: 'end', cell: ({ created }) => <Moment at={created} isShort /> },
  ],
  sheet: (file) => ({ Name: titleOf(file), Kind: purposeText(file.purpose), Size: sizeText(file.size) }),
  filters: [{ name: 'purpose', label: 'Kind', isClosed: true, choices: purposes }],
  empty: {
    title: 'No files yet',
    text: 'Reports of checks, identity documents and agreements stand here, as PDF or picture.',
  },
};

/** The list of files. */
export function FileListPage(): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const navigate = useNavigate();
  const refusal = useRefusal('files.write');
  const action = (
    <Button isDisabled={refusal !== null} onPress={() => setAdding(true)}>
      Add a file
    </Button>
  );
  return (
    <>
      <ListPage
        list={{ ...fileList, empty: { ...fileList.empty, action } }}
        search={fileListRoute.useSearch()}
        actions={
          <GatedButton look="primary" isInGroup refusal={refusal} onPress={() => setAdding(true)}>
            <Icon name="plus" size={14} />
            Add a file
          </GatedButton>
        }
      />
      {isAdding && (
        <UploadDialog
          onClose={() => setAdding(false)}
          onDone={(id) => void navigate({ to: '/files/$id', params: { id } })}
        />
      )}
    </>
  );
}
