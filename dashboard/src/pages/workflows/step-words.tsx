import type { ReactNode } from 'react';
import type { WorkflowStep } from 'tenure';
import { filtersText, pathText, stepText, withPathsInWords, type PathContext } from './workflow-words.ts';
import styles from './workflows.module.css';

/** What a step does and when, in sentences. */
export function StepWords({ step, context }: { step: WorkflowStep; context: PathContext }): ReactNode {
  const condition = filtersText(step.if, context);
  const awaited = filtersText(step.filters, { type: step.type ?? '' });
  return (
    <>
      {condition !== null && <p className={styles.text}>Only if {condition}.</p>}
      {step.for_each !== undefined && <p>Once for each of {pathText(step.for_each, context)}.</p>}
      <p className={styles.text}>{stepText(step, context)}</p>
      {step.text !== undefined && <p className={styles.text}>{withPathsInWords(step.text, context)}</p>}
      {awaited !== null && <p className={styles.text}>It counts if {withPathsInWords(awaited, context)}.</p>}
      {step.action === 'approval' && <p>Without an answer in time, the step fails.</p>}
      {step.on_error === 'continue' && <p>If it fails, the next step is taken.</p>}
    </>
  );
}

/** What only a developer wants to see, folded. */
export function Folded({ children }: { children: ReactNode }): ReactNode {
  return (
    <details className={styles.folded}>
      <summary>For developers</summary>
      {children}
    </details>
  );
}
