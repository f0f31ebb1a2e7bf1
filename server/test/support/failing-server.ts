import { serverForTest, type TestServer } from './server.ts';

/** Starts a server that cannot read any record. A request that retrieves or changes one meets this error. */
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
