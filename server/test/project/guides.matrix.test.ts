import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serverForTest } from '../support/server.ts';
import { waitMs } from '../support/wait.ts';

/*
 * Executes the guides as a reader would, each command in turn. `key_…` stands for the newest key. The same holds for ids. A shown
 * response must be the real one, apart from ids, times and the parts left out as `…`. An error may come only where the guide shows the
 * response. A guide that begins with `npm start` gets a server with the settings of that command. A
 * block that begins with a shell function defines it for all later commands. A block of TypeScript runs as a program with the key in its environment.
 */

const rootDir = join(import.meta.dirname, '../../..');
const guidesDir = join(rootDir, 'docs/guides');
const run = promisify(execFile);

/** Lets every `curl` of a command report its HTTP status on standard error, apart from the response. */
const reportingCurl = 'curl() { command curl -w \'%{stderr}\\nHTTP status %{http_code}\\n\' "$@"; }\n';

/** The guides with commands. The one for people of an office has pictures, which tests of their own compare with it. */
const guides = readdirSync(guidesDir).filter((file) => file !== 'office.md');

describe.each(guides)('%s', (file) => {
  const blocks = [
    ...readFileSync(join(guidesDir, file), 'utf8').matchAll(/^```(sh|ts|json|text)\n([\s\S]*?)^```/gm),
  ].map(([, kind, text]) => ({ kind: kind!, text: text! }));

  test('returns what the guide shows when its commands run', async () => {
    const start = blocks[0]?.text.endsWith('npm start\n') ? blocks[0].text : '';
    const settings = Object.fromEntries([...start.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));
    // A guide that sets the speed of the sandbox's services needs the services.
    const works = settings.TENURE_SIMULATOR_SPEED === undefined ? {} : ({ works: true } as const);
    // A command that signs in keeps the key there.
    const settingsDir = mkdtempSync(join(tmpdir(), 'tenure-guides-'));
    onTestFinished(() => rmSync(settingsDir, { recursive: true }));
    const server = await serverForTest({ unpinned: true, settings, ...works });
    const newest = new Map([['sk_test', server.secretKey.slice('sk_test_'.length)]]);
    let answer: unknown = null;
    let commands = 0;
    let definitions = '';
    const played = blocks.slice(start === '' ? 0 : 1);
    for (const [index, { kind, text }] of played.entries()) {
      if (kind === 'ts') {
        const settingsOfClient = { TENURE_API_KEY: server.secretKey, TENURE_BASE_URL: server.url };
        const program = ['--conditions=tenure-source', '--input-type=module-typescript', '--eval', text];
        const { stdout } = await run(process.execPath, program, {
          cwd: rootDir,
          env: { ...process.env, ...settingsOfClient },
          timeout: waitMs,
        });
        answer = stdout.trim();
        commands++;
        continue;
      }
      if (kind !== 'sh') {
        expectShown(answer, kind === 'json' ? parseShown(text) : text.trim(), file);
        continue;
      }
      const command = text
        .replaceAll('http://127.0.0.1:4000', server.url)
        .replaceAll(/\b([a-z]+(?:_test)?)_…/g, (_, prefix: string) => {
          const rest = newest.get(prefix);
          if (rest === undefined) throw new Error(`No earlier output has an id for \`${prefix}_…\` in: ${text}`);
          return `${prefix}_${rest}`;
        });
      if (/^\w+\(\) \{$/m.test(command.slice(0, command.indexOf('\n')))) {
        definitions = command;
        continue;
      }
      const { stdout, stderr } = await run('sh', ['-c', reportingCurl + definitions + command], {
        cwd: rootDir,
        env: { ...process.env, XDG_CONFIG_HOME: settingsDir },
      });
      const errors = [...stderr.matchAll(/^HTTP status ([45]\d\d)$/gm)].map(([, status]) => status);
      const isShown = (played[index + 1]?.kind ?? 'sh') !== 'sh';
      if (!isShown) expect(errors, `${text}\n${stdout}`).toEqual([]);
      answer = stdout.startsWith('{') ? JSON.parse(stdout) : stdout.replaceAll('\r', '').trim();
      // The maker of a key is older than the key.
      for (const [, prefix, rest] of stdout.matchAll(/(?<!"created_by":)"([a-z]+(?:_test)?)_([0-9A-Za-z]{22,38})"/g)) {
        newest.set(prefix!, rest!);
      }
      commands++;
    }
    expect(
      commands,
      `${file} needs a block of the kind \`sh\` or \`ts\`, besides that of \`npm start\`.`,
    ).toBeGreaterThan(0);
  });
});

/** Parses a block of the kind `json`. A `…` in the place of a member stands for members that are left out. */
function parseShown(text: string): unknown {
  return JSON.parse(text.replaceAll(/(?<=[{,]\s*)…(?=\s*[,}])/g, '"…": null'));
}

function expectShown(answer: unknown, shown: unknown, at: string): void {
  if (typeof shown === 'string') {
    const pattern = shown.split('…').map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    expect(answer, at).toMatch(new RegExp(`^${pattern.join('[\\s\\S]*')}$`));
  } else if (typeof shown === 'number' && /created|since$|_at$|_ms$|_until$| now$/.test(at)) {
    expect(typeof answer, at).toBe('number');
  } else if (typeof shown === 'object' && shown !== null) {
    const { '…': rest, ...members } = shown as Record<string, unknown>;
    const names = Object.keys(answer as object).sort();
    if (rest === undefined) expect(names, at).toEqual(Object.keys(members).sort());
    else expect(names, at).toEqual(expect.arrayContaining(Object.keys(members)));
    for (const [key, value] of Object.entries(members)) {
      expectShown((answer as Record<string, unknown>)[key], value, `${at} ${key}`);
    }
  } else {
    expect(answer, at).toEqual(shown);
  }
}
