import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';

/** Bundles an entry as an application would, and returns the code. */
async function bundled(entry: string): Promise<{ code: string; imports: string[]; gzipBytes: number }> {
  const build = await rolldown({ input: join(import.meta.dirname, '../src', entry), platform: 'browser' });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  const chunks = output.filter((each) => each.type === 'chunk');
  const code = chunks.map((chunk) => chunk.code).join('\n');
  return { code, imports: chunks.flatMap((chunk) => chunk.imports), gzipBytes: gzipSync(code, { level: 9 }).length };
}

describe.each([
  ['index.ts', 12_000],
  ['webhooks.ts', 1_500],
])('a bundle of %s', (entry, gzipBytesMax) => {
  test(`has at most ${gzipBytesMax} bytes when it is compressed`, async () => {
    const { gzipBytes } = await bundled(entry);
    process.stdout.write(`${entry}: ${gzipBytes} bytes\n`);
    expect(gzipBytes).toBeLessThanOrEqual(gzipBytesMax);
  });

  test('imports nothing, and so no module of Node', async () => {
    const { code, imports } = await bundled(entry);
    expect(imports).toEqual([]);
    expect(code).not.toMatch(/node:|require\(/);
  });
});
