import { serverForTest, type TestServer } from './server.ts';

/** A server that cannot read any record: whatever retrieves or changes one meets this error. */
export function serverThatCannotRead(makeError: () => Error): Promise<TestServer> {
  return serverForTest({
    changeContext: (context) => ({
      ...context,
      async readRecord() {
        throw makeError();
      },
    }),
  });
}
