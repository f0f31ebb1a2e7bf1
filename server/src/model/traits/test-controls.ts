import type { TObject } from 'typebox';
import type { OperationDocs } from '../resource.ts';
import { defineTrait } from '../trait.ts';

/** A test helper: it triggers an action of a third party, outside of this server. */
export interface TestHelper extends OperationDocs {
  summary: string;
  /** Left out if the helper takes no body. */
  body?: TObject;
}

/** The test helpers of a record in a sandbox, by name: `POST /v1/test_helpers/<path>/{id}/<name>`. */
export const testControls = defineTrait<Readonly<Record<string, TestHelper>>>();
