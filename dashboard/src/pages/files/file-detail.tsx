import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { DeletedFile } from 'tenure';
import { ConfirmDialog, Details, toast } from '@tenure/ui';
import { defineRead, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { ForDevelopers } from '../../office/parts.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { DownloadButton, FileContents } from '../../office/report-file.tsx';
import { Moment } from '../../office/account-time.tsx';
import { fileRoute } from '../../routes.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { Section } from '../../shell/page.tsx';
import { FileLinks } from './file-links.tsx';
import { formatText, purposeText, sizeText } from './file-words.ts';
import { titleOf, withPeople, type NamedFile } from './named-files.ts';

const fileRead = defineRead<NamedFile, { id: string }>(async (tenure, { id }, options) => {
  const [file] = await withPeople(tenure, [await tenure.files.retrieve(id, {}, options)], options);
  return file!;
});

/** One file, shown in the page. */
export function FilePage(): ReactNode {
  const { id } = fileRoute.useParams();
  const query = useRead(fileRead, { id });
  return (
    <RecordPage
      id={id}
      noun="File"
      parent={{ href: '/files', name: 'Files' }}
      query={query}
      titleOf={titleOf}
      actions={(file) => (
        <>
          <DownloadButton id={id} name={nameWithEnding(file)} />
          <Delete file={file} />
        </>
      )}
    >
      {(file) => (
        <>
          <Details
            items={[
              ['Kind', purposeText(file.purpose)],
              ['Format', formatText(file.content_type)],
              ['Size', sizeText(file.size)],
              ['Added', <Moment key="added" at={file.created} />],
            ]}
          />
          <Section title="Contents">
            <FileContents id={id} title={titleOf(file)} type={file.content_type} />
          </Section>
          <FileLinks file={id} />
          <ForDevelopers record={recordOf(file)} />
        </>
      )}
    </RecordPage>
  );
}

/** Returns the record of the API, which does not know whom a report is about. */
function recordOf(file: NamedFile): { id: string } {
  return Object.fromEntries(Object.entries(file).filter(([name]) => name !== 'about')) as { id: string };
}

/** Returns the name with the ending that programs know. */
function nameWithEnding(file: NamedFile): string {
  const title = titleOf(file);
  const { pattern, ending } = endings[file.content_type] ?? endings['application/pdf']!;
  return pattern.test(title) ? title : title + ending;
}

const endings: Record<string, { pattern: RegExp; ending: string }> = {
  'application/pdf': { pattern: /\.pdf$/i, ending: '.pdf' },
  'image/jpeg': { pattern: /\.jpe?g$/i, ending: '.jpg' },
  'image/png': { pattern: /\.png$/i, ending: '.png' },
};

function Delete({ file }: { file: NamedFile }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const refusal = useRefusal('files.write');
  const deleting = useWrite<string, DeletedFile>((tenure, id, options) => tenure.files.delete(id, options), {
    onDone: () => {
      toast('The file is deleted.');
      void navigate({ to: '/files', search: {} });
    },
  });
  return (
    <>
      <GatedButton isInGroup refusal={refusal} onPress={() => setOpen(true)}>
        Delete
      </GatedButton>
      <ConfirmDialog
        title={`Delete ${titleOf(file)}?`}
        isOpen={isOpen}
        onCancel={() => setOpen(false)}
        onConfirm={() => deleting.mutate(file.id)}
        confirmText="Delete the file"
        isPending={deleting.isPending}
      >
        <p>The file is gone for good. Checks that name it then have no report.</p>
        {deleting.error !== null && <p role="alert">{deleting.error.message}</p>}
      </ConfirmDialog>
    </>
  );
}
