import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resources } from '../../src/resources/index.ts';

const sourceDir = join(import.meta.dirname, '../../src');

/**
 * The rooms that each room may import. A room is a folder of `src/`, or one below `http/`, `referencing/`, `gateway-payments/` or
 * `workflows/`. Only `http/app.ts` is a room by itself, because it assembles the others of `http/`.
 */
const mayImport: Record<string, readonly string[]> = {
  core: [],
  model: ['core'],
  law: ['core', 'model'],
  db: ['core', 'model'],
  'embedded-postgres': ['core', 'db'],
  events: ['core', 'model', 'db'],
  versions: ['core', 'model'],
  commit: ['core', 'model', 'db'],
  'sign-in': ['core', 'model', 'db', 'commit', 'resources'],
  metrics: ['core', 'db'],
  tracing: ['core'],
  rent: ['core'],
  bank: ['core'],
  resources: ['core', 'model', 'law', 'rent', 'bank', 'workflows/rules'],
  // Pure rules, which the kinds of record and the engine share.
  'workflows/rules': ['core', 'model'],
  workflows: [
    'core',
    'model',
    'db',
    'events',
    'commit',
    'versions',
    'resources',
    'email',
    'webhooks',
    'job-queue',
    'workflows/rules',
  ],
  'job-queue': ['db'],
  email: ['core', 'model', 'db', 'commit', 'resources', 'job-queue'],
  'rent-documents': ['core', 'model', 'db', 'resources', 'print'],
  // Records that external services advance.
  'external-jobs': ['core', 'model', 'db', 'commit', 'job-queue', 'external-services'],
  'external-services': ['core'],
  'referencing/providers': ['core', 'external-services'],
  // A translator to a company: it speaks the protocol, and knows no records.
  canopy: ['core'],
  print: ['core'],
  // It opens files of strangers, in a process of its own.
  'file-check': ['core'],
  'referencing/report': ['core', 'print', 'referencing/providers'],
  'gateway-payments/gateways': ['core', 'external-services'],
  'gateway-payments/simulator': ['core', 'db', 'external-services'],
  'gateway-payments': [
    'core',
    'model',
    'db',
    'commit',
    'resources',
    'external-jobs',
    'external-services',
    'gateway-payments/gateways',
    'gateway-payments/simulator',
  ],
  // An external service: it knows only what its customer sends over HTTP.
  'referencing/simulator': ['core', 'db', 'external-services'],
  // It plays Tenure to a service, and knows no records.
  'referencing/provider-check': ['core', 'external-services', 'referencing/providers'],
  referencing: [
    'core',
    'model',
    'db',
    'commit',
    'resources',
    // The sender and the home of a report are those of an invoice.
    'rent-documents',
    'job-queue',
    'external-jobs',
    'external-services',
    'referencing/providers',
    'referencing/report',
    'referencing/simulator',
  ],
  webhooks: ['core', 'model', 'db', 'commit', 'versions', 'resources'],
  search: ['core', 'model', 'db', 'events', 'commit'],
  maintenance: ['core', 'model', 'db', 'commit', 'versions', 'webhooks', 'external-jobs', 'search'],
  // The types of a request and a route. The rooms of `http/` follow in the order of a request.
  http: ['core', 'model', 'db', 'events', 'commit', 'versions', 'search', 'sign-in'],
  'http/body': ['core', 'model', 'versions', 'http'],
  'http/response': ['core', 'model', 'db', 'commit', 'versions', 'http', 'http/body'],
  'http/pipeline': ['core', 'model', 'db', 'versions', 'sign-in', 'http', 'http/response'],
  'http/write': ['core', 'model', 'db', 'commit', 'email', 'sign-in', 'http', 'http/pipeline', 'http/response'],
  'http/auth': [
    'core',
    'model',
    'db',
    'commit',
    'email',
    'resources',
    'sign-in',
    'http',
    'http/body',
    'http/pipeline',
    'http/write',
  ],
  // Pages for persons without an account.
  'http/shared-files': [
    'core',
    'model',
    'db',
    'resources',
    'sign-in',
    'print',
    'http',
    'http/body',
    'http/pipeline',
    'http/response',
    'http/write',
    'http/docs',
    'http/routes',
  ],
  // The routes of persons without an account.
  'http/portal': [
    'core',
    'model',
    'db',
    'commit',
    'resources',
    'sign-in',
    'http',
    'http/body',
    'http/pipeline',
    'http/response',
    'http/routes',
    'http/write',
  ],
  'http/docs': ['core'],
  'http/openapi': ['core', 'model', 'versions', 'http', 'http/body', 'http/pipeline'],
  'http/routes': [
    'core',
    'model',
    'law',
    'workflows/rules',
    'db',
    'email',
    'events',
    'versions',
    'search',
    'sign-in',
    'http',
    'http/body',
    'http/response',
    'http/pipeline',
    'http/write',
    'http/docs',
    'http/openapi',
  ],
  // Tools for programs that act by themselves. Each is a request of the API.
  'http/mcp': [
    'core',
    'model',
    'versions',
    'http',
    'http/body',
    'http/response',
    'http/pipeline',
    'http/docs',
    'http/openapi',
    'http/routes',
  ],
  'http/app.ts': [
    'core',
    'model',
    'http',
    'http/body',
    'http/response',
    'http/pipeline',
    'http/write',
    'http/auth',
    'http/mcp',
    'http/portal',
    'http/shared-files',
    'http/routes',
  ],
  // It knows tables, not kinds of records.
  'move-account': ['core', 'db'],
  commands: [
    'core',
    'db',
    'embedded-postgres',
    'versions',
    'server',
    'canopy',
    'move-account',
    'referencing/provider-check',
  ],
  '.': ['server'],
};
/** The room that assembles all others. Only the commands and `main.ts` import it. */
mayImport.server = Object.keys(mayImport).filter((room) => !['canopy', 'move-account', 'commands', '.'].includes(room));

/** Rooms that export data types: only types may be imported from them. */
const typesOnly: Record<string, readonly string[]> = { 'referencing/report': ['referencing/providers'] };

/** Packages that only these folders may import, so that they can be replaced there. */
const packageOwners: Record<string, readonly string[]> = {
  pg: ['db', 'embedded-postgres'],
  fastify: ['http'],
  ajv: ['http/body'],
  undici: ['webhooks', 'external-services'],
  'prom-client': ['metrics'],
  '@opentelemetry/api': ['tracing'],
  '@opentelemetry/resources': ['tracing'],
  '@opentelemetry/sdk-trace': ['tracing'],
  '@opentelemetry/exporter-trace-otlp-proto': ['tracing'],
  'graphile-worker': ['job-queue'],
  'csv-parse': ['bank'],
  ibantools: ['core'],
  pdfkit: ['print'],
  sharp: ['file-check'],
  fontkit: ['print'],
  'bidi-js': ['print'],
  wawoff2: ['print'],
  marked: ['http/docs'],
  nodemailer: ['email'],
  '@modelcontextprotocol/server': ['http/mcp'],
  otpauth: ['sign-in'],
  'openid-client': ['sign-in'],
  '@simplewebauthn/server': ['sign-in'],
  '@zxcvbn-ts/language-common': ['sign-in'],
};

/** The tables whose statements must name the account: all with an account column, and those of resources. */
const accountTables = [
  ...tablesWithAccounts(readFileSync(join(import.meta.dirname, '../../sql/schema.sql'), 'utf8')),
  ...resources.map(({ table }) => table),
];

/** Statements without an account, each with its reason. */
const withoutAccount = new Set([
  // No account exists yet. The statement looks for the first one.
  'select id from accounts order by id limit 1',
  // The counters of sign-ins belong to the whole cell. The statement looks for an account that can store them.
  "select id from accounts where ${isHere('accounts.id')} order by id limit 1",
  // A sign-in knows no account yet: an e-mail address, a cookie, a link and an identity each lead to one.
  'select id, account_id from users where lower(email collate "C") = lower($1 collate "C")',
  'select id, account_id from users where identity_issuer = $1 and identity_subject = $2',
  'select id, account_id from portal_sessions where link_hash = $1',
  'select id, account_id from invitations where lower(email collate "C") = lower($1 collate "C") and accepted_at is null and revoked_at is null order by id desc limit 10',
  "select id, account_id from users where role = 'owner' and status = 'active' order by id limit 1",
  'select 1 from users limit 1',
  // A day begins in each time zone.
  'select distinct time_zone from accounts',
  // A sign-in of the command line is found by one of its codes.
  'select id, account_id from device_logins where device_code_hash = $1',
  'select id, account_id from device_logins where user_code_hash = $1',
  // Links, counters of failed sign-ins and used challenges end in any account, and each statement deletes exactly what it finds.
  'delete from one_time_links where ctid = any(array( select ctid from one_time_links where expires_at <= $1 limit ${purgedAtOnceMax} for update skip locked ))',
  'delete from device_logins where ctid = any(array( select ctid from device_logins where expires_at <= $1 limit ${purgedAtOnceMax} for update skip locked ))',
  'delete from sign_in_attempts where ctid = any(array( select ctid from sign_in_attempts where since <= $1 limit ${purgedAtOnceMax} for update skip locked ))',
  'delete from used_challenges where ctid = any(array( select ctid from used_challenges where expires_at <= $1 limit ${purgedAtOnceMax} for update skip locked ))',
  // The state of the delivery queue, over all accounts.
  'select least( (select due_at_ms from webhook_queue where attempt_count = 0 and due_at_ms <= $1 and claimed_until_ms <= $2 order by due_at_ms limit 1), (select due_at_ms from webhook_queue where attempt_count > 0 and due_at_ms <= $1 and claimed_until_ms <= $2 order by due_at_ms limit 1) ) as due_at_ms',
  'select count(*) from ( (select claimed_until_ms from webhook_queue where attempt_count = 0 and due_at_ms <= $1 order by due_at_ms limit ${countedMax}) union all (select claimed_until_ms from webhook_queue where attempt_count > 0 and due_at_ms <= $1 order by due_at_ms limit ${countedMax}) ) due where claimed_until_ms > 0 and claimed_until_ms <= $2',
  "select (select count(*) from (select from webhook_queue limit ${countedMax + 1}) found) as counted, (select reltuples::bigint from pg_class where oid = 'webhook_queue'::regclass) as estimated",
  // The merge of all accounts' activity keeps the account of each row.
  'with ${turn}, gone as ( delete from activity_deltas where (select ours from turn) returning * )${addGone(minuteSeconds)}',
  'with ${turn}, gone as ( delete from activity where seconds = ${minuteSeconds} and start < $2 and (select ours from turn) returning * )${addGone(hourSeconds)}',
  'delete from activity where seconds = ${hourSeconds} and start < $1',
  // Whether any account has something pending in a partition.
  "select exists ( select from webhook_queue where id >= $1 and id < $2 or event >= $3 and event < $4 ) or exists ( select from recoveries where status = 'pending' and since < $5 ) or exists ( select from idempotency_keys where request_id >= $6 and request_id < $7 ) as pending",
  // The states of a whole tree, and deliveries that the source's query has chosen by account.
  'update account_moves set state = $2 where root = $1',
  "update account_moves set state = 'arrived' where root = $1 and move = $2 and state = 'arriving'",
  "insert into webhook_queue (${names}) select ${names} from jsonb_populate_recordset(null::webhook_queue, ( select jsonb_agg( row::jsonb || jsonb_build_object( 'claim_token', null, 'claimed_until_ms', 0, 'due_at_ms', (row::jsonb ->> 'due_at_ms')::bigint % ${postponedMs} ) ) from unnest($1::text[]) as input (row) ))",
  // The claims of a dead process, and one that may have been made, over all accounts.
  'update webhook_queue set claimed_until_ms = 0, claim_token = null where claim_token = $1',
  'update webhook_queue set claimed_until_ms = 0, claim_token = null where claimed_until_ms > 0',
  'select distinct -claim_token / $1::bigint as number from webhook_queue where claim_token < 0',
  'update webhook_queue set claimed_until_ms = 0, claim_token = null where claim_token between $1::bigint and $2::bigint',
  "select min(id) as delivery, min(event) as event, (select min(since) from recoveries where status = 'pending') as since from webhook_queue",
]);

type Sources = ReadonlyMap<string, string>;

describe('the import rule', () => {
  test('lets every file import only the allowed rooms', () => {
    expect(importFaults(readSources())).toEqual([]);
  });

  test('reports a resource that imports another one, and a database driver outside its room, when they are planted', () => {
    const planted = new Map([
      ['resources/deposit.ts', `import { customer } from './customer.ts';`],
      [
        'http/shortcut.ts',
        `import type { Pool } from 'pg';\nimport { reference } from '../resources/reference/index.ts';`,
      ],
      ['core/clever.ts', `export { query } from '../db/reader.ts';`],
      [
        'referencing/report/caller.ts',
        `import type { Note } from '../providers/provider.ts';\nimport { referencingProviders } from '../providers/index.ts';`,
      ],
    ]);
    expect(importFaults(planted)).toEqual([
      'resources/deposit.ts imports resources/customer.ts: a resource never imports another one',
      'http/shortcut.ts imports pg, which belongs to db/, embedded-postgres/',
      'http/shortcut.ts imports resources/reference/index.ts, but http/ may import only core/, model/, db/, events/, commit/, versions/, search/, sign-in/',
      'core/clever.ts imports db/reader.ts, but core/ may import nothing',
      'referencing/report/caller.ts imports more of referencing/providers/index.ts than types',
    ]);
  });
});

test('has no circular imports of files or rooms, types included', () => {
  const imports = new Map([...readSources()].map(([file, source]) => [file, importedFiles(file, source)]));
  expect(circleIn(imports)).toBeNull();
  expect(circleIn(new Map(Object.entries(mayImport)))).toBeNull();
  expect(
    circleIn(
      new Map([
        ['a.ts', ['b.ts']],
        ['b.ts', ['c.ts']],
        ['c.ts', ['b.ts']],
      ]),
    ),
  ).toEqual(['b.ts', 'c.ts', 'b.ts']);
});

describe('the account rule', () => {
  test("names the account in every statement when it concerns an account's records", () => {
    expect(accountTables.length).toBeGreaterThan(20);
    expect(statementFaults(readSources())).toEqual([]);
  });

  test('reports a statement across accounts when one is planted', () => {
    const planted = new Map([['http/shortcut.ts', 'const text = `select * from events where id = $1`;']]);
    expect(statementFaults(planted)).toEqual([
      'http/shortcut.ts: no account_id in "select * from events where id = $1"',
    ]);
  });
});

test('writes only in the committer and in housekeeping duties', () => {
  const writes = /\b(insert into|delete from|update (?!of\b)[a-z$])/;
  const writers = [...readSources()].filter(([, source]) => statementsIn(source).some((text) => writes.test(text)));
  expect(writers.map(([file]) => file).sort()).toEqual([
    // Parts of a file are stored before the file, and belong to an account only through it.
    'commit/file-store.ts',
    // Copies of files for a legal duty. Parts count only through their hold, which the committer makes and empties.
    'commit/sealed-files.ts',
    // The statements of the committer itself.
    'commit/statements/clock.ts',
    'commit/statements/counts.ts',
    'commit/statements/deliveries.ts',
    'commit/statements/history.ts',
    'commit/statements/idempotency-keys.ts',
    'commit/statements/jobs.ts',
    'commit/statements/records.ts',
    // The deployment's one row, and the list of migrations. Neither belongs to an account.
    'db/deployment.ts',
    'db/latest-version.ts',
    'db/migrate.ts',
    // Simulated services store the charges and orders that they receive.
    'gateway-payments/simulator/charges.ts',
    // The time of a key's last use is not a change of the key.
    'http/pipeline/last-uses.ts',
    // Jobs that the queue would keep for ever, and pauses of jobs. No record changes.
    'job-queue/queue.ts',
    // The merge of deltas changes no count.
    'maintenance/compact-activity.ts',
    'maintenance/compact-counts.ts',
    // Retention deletes old history together with its counts.
    'maintenance/drop-old-history.ts',
    // Erasure removes a person's data from history.
    'maintenance/erase-history.ts',
    // The end of an erasure is not a change of the person.
    'maintenance/erasure.ts',
    // E-mails that have left or are too many.
    'maintenance/purge-emails.ts',
    // An expired key already counts as none.
    'maintenance/purge-idempotency-keys.ts',
    // Sessions, links and challenges that have ended are no longer accepted.
    'maintenance/purge-sign-ins.ts',
    // A move copies whole rows to another cell, and changes none.
    'move-account/copy.ts',
    'move-account/guards.ts',
    'move-account/move.ts',
    'move-account/queues.ts',
    'referencing/simulator/orders.ts',
    // The entries of the search follow from the records.
    'search/entries.ts',
    'search/positions.ts',
    // Delivery state is not a change of a record: it has no event, and no request asks for it.
    'webhooks/claim.ts',
    'webhooks/live-workers.ts',
    'webhooks/postpone.ts',
    'webhooks/record-outcomes.ts',
    // How far the events of an account have started workflows.
    'workflows/positions.ts',
  ]);
});

test('asks SQL or JavaScript for the current time only where no other clock would do', () => {
  const askers = [...readSources()].filter(([, source]) =>
    statementsIn(source).some((text) =>
      /\bnow\(\)|current_timestamp|localtimestamp|(clock|statement|transaction)_timestamp/.test(text),
    ),
  );
  expect(askers.map(([file]) => file).sort()).toEqual([
    // Compares a connection's process with the connection: both by the database's clock.
    'commit/committer.ts',
    // The job queue uses the database's clock, and is told how long to wait.
    'commit/statements/jobs.ts',
    'job-queue/queue.ts',
    // The ages of transactions and jobs, by the clock that they use.
    'metrics/database.ts',
    // Claims of deliveries and jobs, by the clocks that they use.
    'move-account/queues.ts',
    // Measures the difference between the database's clock and the machine's.
    'server/context.ts',
  ]);
  const takers = [...readSources()].filter(([, source]) => /\bDate\.now\(|new Date\(\)|Math\.random\(/.test(source));
  expect(takers.map(([file]) => file).sort()).toEqual([
    'core/clock.ts',
    // Compares the ages of files with the clock.
    'embedded-postgres/remains.ts',
    // Measures the difference between the database's clock and the machine's.
    'server/context.ts',
  ]);
});

describe('paths of modules', () => {
  test('name no TypeScript file when they are no import, because a release has none', () => {
    expect(pathFaults(readSources())).toEqual([]);
  });

  test('are reported when a planted one names a TypeScript file', () => {
    const planted = new Map([
      ['print/other.ts', `fork(new URL('./process.ts', import.meta.url));`],
      [
        'print/good.ts',
        `import { a } from './a.ts'; const { b } = await import('./b.ts'); moduleFile('./process', import.meta.url);`,
      ],
    ]);
    expect(pathFaults(planted)).toEqual([
      'print/other.ts names ./process.ts, which a release does not have. Use moduleFile of core/installation.ts.',
    ]);
  });
});

test.each(['long-files', 'slowest-files'])('finds each file when %s.json names it', (list) => {
  const projectDir = join(import.meta.dirname, '../../..');
  const files = JSON.parse(readFileSync(join(projectDir, `server/test/${list}.json`), 'utf8')) as string[];
  expect(files.filter((file) => !existsSync(join(projectDir, file)))).toEqual([]);
});

/** Finds names of TypeScript files outside of imports, which the compiler rewrites. */
function pathFaults(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) =>
    [...source.matchAll(/(?<!\bfrom |\bimport |\bimport\(\s*)'([^'\n]+\.ts)'/g)].map(
      ([, name]) => `${file} names ${name}, which a release does not have. Use moduleFile of core/installation.ts.`,
    ),
  );
}

/** Returns the folder of a kind below `resources/`, such as `letting`. Returns null for a kind that is one file. */
function folderOf(file: string): string | null {
  const [, folder = '', ...rest] = file.split('/');
  return rest.length === 0 ? null : folder;
}

function importFaults(sources: Sources): string[] {
  const faults: string[] = [];
  for (const [file, source] of sources) {
    const room = roomOf(file);
    for (const [statement, target = ''] of source.matchAll(/^\s*(?:import|export)\b[^;]*?\bfrom\s+'([^']+)'/gm)) {
      if (!target.startsWith('.')) {
        const owners = packageOwners[target.split('/')[0]!];
        if (owners && !owners.some((owner) => `${room}/`.startsWith(`${owner}/`)))
          faults.push(`${file} imports ${target}, which belongs to ${owners.map((name) => `${name}/`).join(', ')}`);
        continue;
      }
      const imported = normalize(join(dirname(file), target));
      const otherRoom = roomOf(imported);
      if (room === 'resources' && otherRoom === 'resources') {
        // The kinds of a let are one room.
        const sameFolder = folderOf(file) !== null && folderOf(file) === folderOf(imported);
        if (!sameFolder && file !== 'resources/index.ts')
          faults.push(`${file} imports ${imported}: a resource never imports another one`);
      } else if (typesOnly[room]?.includes(otherRoom) && !/^\s*(?:import|export) type\b/.test(statement)) {
        faults.push(`${file} imports more of ${imported} than types`);
      } else if (otherRoom !== room && !mayImport[room]?.includes(otherRoom)) {
        const allowed = mayImport[room]?.map((name) => `${name}/`).join(', ') || 'nothing';
        faults.push(
          `${file} imports ${imported}, but ${room}/ may import ${allowed === 'nothing' ? allowed : `only ${allowed}`}`,
        );
      }
    }
  }
  return faults;
}

function importedFiles(file: string, source: string): string[] {
  const targets = source.matchAll(/^\s*(?:import|export)\b[^;]*?\bfrom\s+'(\.[^']+)'/gm);
  return [...targets].map(([, target]) => normalize(join(dirname(file), target!)));
}

/** Returns the first path found that leads back to its start, or null. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const search = (file: string, way: string[]): string[] | null => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const imported of imports.get(file) ?? []) {
      const circle = search(imported, [...way, file]);
      if (circle) return circle;
    }
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const circle = search(file, []);
    if (circle) return circle;
  }
  return null;
}

function tablesWithAccounts(schema: string): string[] {
  const tables = schema.matchAll(/^create table (\w+) \((.*?)^\)/gms);
  return [...tables].flatMap(([, table, columns]) => (/\baccount_id\b/.test(columns!) ? [table!] : []));
}

function statementFaults(sources: Sources): string[] {
  const touches = new RegExp(
    `\\b(?:from|into|update|join)\\s+(?:${accountTables.join('|')}|\\$\\{resource\\.table\\})\\b`,
  );
  const faults: string[] = [];
  for (const [file, source] of sources) {
    for (const text of statementsIn(source)) {
      if (!touches.test(text) || text.includes('account_id') || text.includes('columnsOf(')) continue;
      if (!withoutAccount.has(text)) faults.push(`${file}: no account_id in "${text}"`);
    }
  }
  return faults;
}

/** Returns the string literals that look like SQL, with their white space collapsed. */
function statementsIn(source: string): string[] {
  const literals = source.matchAll(/`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/g);
  return [...literals]
    .map(([, template, plain]) => (template ?? plain ?? '').replace(/\s+/g, ' ').trim())
    .filter((text) => /^\(?(select|insert|update|delete|with) /.test(text));
}

function roomOf(file: string): string {
  if (file in mayImport) return file;
  const folders = file.split('/').slice(0, -1);
  const inner = folders.slice(0, 2).join('/');
  return inner in mayImport ? inner : (folders[0] ?? '.');
}

function readSources(): Sources {
  const files = readdirSync(sourceDir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(30);
  return new Map(files.map((file) => [relative('.', file), readFileSync(join(sourceDir, file), 'utf8')]));
}
