#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as module from 'node:module';

const source = new URL('../src/main.ts', import.meta.url);

if (!existsSync(source)) {
  await import('../dist/main.js');
} else if (process.features.typescript) {
  // In the repository, Node runs the sources of this package and of the SDK. Compiled modules are kept, for a quick start.
  module.enableCompileCache();
  module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, 'tenure-source'] }),
  });
  await import(source.href);
} else {
  process.stderr.write(
    `Node ${process.versions.node} cannot run the sources of Tenure. Use \`npx tenure\`: it takes Node 26.\n`,
  );
  process.exitCode = 2;
}
