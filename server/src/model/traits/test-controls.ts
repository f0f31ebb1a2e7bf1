import type { TObject } from 'typebox';
import type { Action, OperationDocs } from '../resource.ts';
import { defineTrait } from '../trait.ts';

/** A test helper: it triggers an action of a third party, outside of this server. */
export interface TestHelper extends OperationDocs {
  summary: string;
  /** Left out if the helper takes no body. */
  body?: TObject;
  /** A decision in the place of a person. Left out if a simulated service acts. Its `permissions` are required. */
  action?: Action;
}

/** The test helpers of a record in a sandbox, by name: `POST /v1/test_helpers/<path>/{id}/<name>`. */
export const testControls = defineTrait<Readonly<Record<string, TestHelper>>>();
