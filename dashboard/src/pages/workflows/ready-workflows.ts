import type { Workflow } from 'tenure';

/** What a file in `examples/workflows/` has. */
export type ReadyWorkflow = Pick<Workflow, 'name' | 'trigger' | 'steps' | 'permissions'>;

const files = import.meta.glob<ReadyWorkflow>('../../../../examples/workflows/*.json', {
  eager: true,
  import: 'default',
});

/** The workflows to begin with, by their names. */
export const readyWorkflows: ReadonlyMap<string, ReadyWorkflow> = new Map(
  Object.values(files).map((workflow) => [workflow.name, workflow]),
);
