import { useRef, useState, type ReactNode } from 'react';
import type { Reference, ReferencesUpdateParams, Tenure } from 'tenure';
import { Actions, Button, ConfirmDialog, Dialog, FileField, Radios, TextField, toast } from '@tenure/ui';
import { ChangedMeanwhile, faultOf, faultOfFile, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { isByService, outcomes, problemOf } from '../../office/checks.ts';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { uploadFile } from '../files/upload.ts';
import { MoveDialog } from './moves.tsx';
import { isOpen } from './reference-words.ts';

type Action = 'outcome' | 'report' | 'move' | 'cancel';

/** The buttons of a check: what a person can do with it now. */
export function ReferenceActions({ reference }: { reference: Reference }): ReactNode {
  const [action, setAction] = useState<Action | null>(null);
  const refusal = useRefusal('references.write');
  const beginning = useWrite<string, Reference>(
    (tenure, id, options) => tenure.references.update(id, { status: 'processing' }, options),
    { onDone: () => toast('The check is marked as begun.') },
  );
  const close = (): void => setAction(null);
  if (reference.deleted || reference.status === 'canceled') return null;
  const isByHand = !isByService(reference);
  const open = isOpen(reference);
  return (
    <>
      {isByHand && reference.status === 'pending' && (
        <GatedButton
          look="primary"
          refusal={refusal}
          isInGroup
          isDisabled={beginning.isPending}
          onPress={() => beginning.mutate(reference.id)}
        >
          Mark as begun
        </GatedButton>
      )}
      <GatedButton
        look={isByHand && reference.status === 'processing' ? 'primary' : 'default'}
        refusal={refusal}
        isInGroup
        onPress={() => setAction('outcome')}
      >
        {open ? 'Enter the outcome' : isByHand ? 'Correct the outcome' : 'Overrule the service'}
      </GatedButton>
      {isByHand && (
        <GatedButton refusal={refusal} isInGroup onPress={() => setAction('report')}>
          {reference.reference_pdf === null ? 'Attach a report' : 'Replace the report'}
        </GatedButton>
      )}
      {/* The notice of a problem has the same button. */}
      {open && problemOf(reference) === null && (
        <GatedButton refusal={refusal} isInGroup onPress={() => setAction('move')}>
          {isByHand ? 'Choose a service' : 'Choose another service'}
        </GatedButton>
      )}
      {open && (
        <GatedButton refusal={refusal} isInGroup onPress={() => setAction('cancel')}>
          Cancel the check
        </GatedButton>
      )}
      {beginning.error !== null && <p role="alert">{beginning.error.message}</p>}
      {action === 'outcome' && <OutcomeDialog reference={reference} onClose={close} />}
      {action === 'report' && <ReportDialog reference={reference} onClose={close} />}
      {action === 'move' && <MoveDialog reference={reference} onClose={close} />}
      {action === 'cancel' && <CancelDialog reference={reference} onClose={close} />}
    </>
  );
}

/**
 * Looks whether an outcome is still as the person saw it when they opened the form.
 *
 * @throws {ChangedMeanwhile} if a colleague or the service was faster. The first outcome counts.
 */
async function expectUndecided(tenure: Tenure, seen: Reference): Promise<void> {
  const now = await tenure.references.retrieve(seen.id);
  const isSame = now.outcome === seen.outcome && now.decision?.decided_at === seen.decision?.decided_at;
  if (!isSame || isOpen(now) !== isOpen(seen))
    throw new ChangedMeanwhile(
      'The check has changed since you opened this form, so that nothing is set. Close the form, and look at the check.',
    );
}

/** Sets the outcome: at the end of a check by hand, or in place of that of a service. */
function OutcomeDialog({ reference, onClose }: { reference: Reference; onClose: () => void }): ReactNode {
  const [seen] = useState(reference);
  /** The last attempt. A repeated one sends the same again, and finds its own outcome. */
  const last = useRef<string>(null);
  const isOverruling = isByService(reference);
  const [outcome, setOutcome] = useState<string | null>(null);
  const [why, setWhy] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const saving = useWrite<{ outcome: string; why: string; file: string | null }, Reference>(
    async (tenure, input, options) => {
      const text = JSON.stringify(input);
      if (last.current !== text) await expectUndecided(tenure, seen);
      last.current = text;
      const pdf = file === null ? null : await uploadFile(tenure, { file, purpose: 'reference_report' }, options);
      return tenure.references.update(
        reference.id,
        {
          outcome: input.outcome as NonNullable<ReferencesUpdateParams['outcome']>,
          ...(pdf !== null && { reference_pdf: pdf.id }),
          ...(input.why !== '' && { reason: input.why }),
        },
        options,
      );
    },
    {
      onDone: () => {
        toast('The outcome is set.');
        onClose();
      },
    },
  );
  const { error } = saving;
  const title = isOpen(reference) ? 'Enter the outcome' : isOverruling ? 'Overrule the service' : 'Correct the outcome';
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        error={error}
        fields={['outcome', 'reason', 'file']}
        onSubmit={() =>
          outcome !== null && saving.mutate({ outcome, why: why.trim(), file: file === null ? null : keyOf(file) })
        }
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={outcome === null || saving.isPending}>
              Set the outcome
            </Button>
          </Actions>
        }
      >
        <Radios
          label="Outcome"
          value={outcome}
          onChange={setOutcome}
          options={outcomes.map(({ id, name, text }) => ({
            id,
            name,
            text,
            ...(id === reference.outcome && { disabledReason: 'This is the outcome now.' }),
          }))}
          error={faultOf(error, 'outcome')}
        />
        <TextField
          label={isOverruling ? 'Why do you decide otherwise?' : 'Why (optional)'}
          value={why}
          onChange={setWhy}
          isMultiline
          isRequired={isOverruling && !isOpen(reference)}
          maxLength={2_000}
          error={faultOf(error, 'reason')}
        />
        {!isOverruling && reference.reference_pdf === null && (
          <FileField
            label="Report (optional)"
            accept="application/pdf"
            hint="A PDF, up to 10 MB. Without one, Tenure makes a report."
            onChange={setFile}
            error={faultOfFile(error)}
          />
        )}
        {!isOverruling && (
          <p>
            Your name, the time and the reason stay with the outcome.
            {reference.reference_pdf !== null && ' The report that your office attached stays.'} A landlord with a link
            to the report reads the reason, too.
          </p>
        )}
        {isOverruling && (
          <p>
            {isOpen(reference)
              ? 'The service is told to stop. What it has found so far stays.'
              : 'Both verdicts stay visible, with your name, the time and the reason. The report is issued anew with both, and the earlier one stays. A landlord with a link to the report reads your reason, too.'}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

function ReportDialog({ reference, onClose }: { reference: Reference; onClose: () => void }): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const attaching = useWrite<string, Reference>(
    async (tenure, _, options) => {
      const pdf = await uploadFile(tenure, { file: file!, purpose: 'reference_report' }, options);
      return tenure.references.update(reference.id, { reference_pdf: pdf.id }, options);
    },
    {
      onDone: () => {
        toast('The report is attached.');
        onClose();
      },
    },
  );
  return (
    <Dialog
      title={reference.reference_pdf === null ? 'Attach a report' : 'Replace the report'}
      isOpen
      onClose={onClose}
    >
      <Form
        error={attaching.error}
        fields={['file']}
        onSubmit={() => file !== null && attaching.mutate(keyOf(file))}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={file === null || attaching.isPending}>
              Attach
            </Button>
          </Actions>
        }
      >
        <FileField
          label="Report"
          accept="application/pdf"
          hint="A PDF, up to 10 MB. A report cannot be a photo."
          onChange={setFile}
          error={faultOfFile(attaching.error)}
        />
      </Form>
    </Dialog>
  );
}

/** Names a file, so that another file gets another idempotency key. */
function keyOf({ name, size, lastModified }: File): string {
  return `${name} ${size} ${lastModified}`;
}

function CancelDialog({ reference, onClose }: { reference: Reference; onClose: () => void }): ReactNode {
  const canceling = useWrite<string, Reference>((tenure, id, options) => tenure.references.cancel(id, {}, options), {
    onDone: () => {
      toast('The check is cancelled.');
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title="Cancel this check?"
      isOpen
      onCancel={onClose}
      onConfirm={() => canceling.mutate(reference.id)}
      confirmText="Cancel the check"
      cancelText="Keep the check"
      isPending={canceling.isPending}
    >
      <p>
        The check ends without an outcome, and cannot be continued.
        {isByService(reference) && ' The service is told to stop.'} What was found so far stays.
      </p>
      {canceling.error !== null && <p role="alert">{canceling.error.message}</p>}
    </ConfirmDialog>
  );
}
