import type { TObject } from 'typebox';
import type { OperationDocs } from '../resource.ts';
import { defineTrait } from '../trait.ts';

/** What a test wants to see happen that is done by others, outside of this server. */
export interface TestHelper extends OperationDocs {
  summary: string;
  /** None is taken unless it says which. */
  body?: TObject;
}

/** What a sandbox can have others do with a record, by its name: `POST /v1/test_helpers/<path>/{id}/<name>`. */
export const testControls = defineTrait<Readonly<Record<string, TestHelper>>>();
