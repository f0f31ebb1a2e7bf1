import { openAsBlob } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ListPromise } from 'tenure';
import { CliError } from '../errors.ts';
import { columnsFor, picked, RecordTable, showJson, showRecord, viewOf, type View } from '../output/show.ts';
import { safeJson } from '../output/text.ts';
import type { Params } from '../params.ts';
import { Session } from '../session.ts';
import type { OperationCall } from './resource.ts';

type Shown = Record<string, unknown>;

/** Calls an operation, and shows its response. */
export async function runOperation({
  resource,
  name,
  verb,
  id,
  params,
  flags,
  question,
}: OperationCall): Promise<void> {
  const session = await Session.open(flags);
  const { terminal } = session;
  const view = viewOf(flags, terminal, flags.serviceVersion === undefined && !verb.isFile ? verb.fields : null);
  const names = [...(resource === '' ? [] : resource.split(' ')), name].map(camelCase);
  const { operation, method } = session.operation(names);
  if (operation.method !== 'GET') await session.confirm(question);
  const sent = operation.body === 'multipart' ? await withFile(params, session) : params;
  const options = {
    ...session.options,
    ...(flags.idempotencyKey !== undefined && { idempotencyKey: flags.idempotencyKey }),
  };
  const takesParams = operation.method !== 'DELETE' && (operation.answer !== 'file' || operation.query !== undefined);
  const given = [...(id === undefined ? [] : [id]), ...(takesParams ? [sent] : []), options];
  const answer = method(...given);
  if (operation.answer === 'list') return showList(answer as ListPromise<unknown>, flags.all === true, view, session);
  if (operation.answer === 'file') return saveFile((await answer) as Response, flags.output, session);
  const record = (await answer) as Shown;
  terminal.endProgress();
  if (isPage(record)) return showPage(record, view, session);
  if (flags.wait) return showRecord(await waitForRecovery(record, session), view, terminal);
  showRecord(record, view, terminal);
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

type Page = Shown & { data: unknown[]; has_more: boolean };

function isPage(record: Shown): record is Page {
  return Array.isArray(record.data) && typeof record.has_more === 'boolean';
}

/** Shows one page. Only a list has a count, and further pages. */
function showPage(page: Page, view: View, { terminal }: Session): void {
  if (view.isJson) {
    const data = page.data.map((record) => picked(record, view.fields));
    return terminal.out(showJson({ ...page, data }, terminal));
  }
  if (page.data.length === 0) return terminal.say('There are none.');
  new RecordTable(columnsFor(page.data, view.fields), terminal).show(page.data);
  if (!page.has_more) return;
  const count = page.count ?? page.total_count;
  const more =
    count === undefined
      ? `${page.data.length} of more. Be more specific to see the others.`
      : `${page.data.length} of ${Number(count).toLocaleString('en')}. Pass --all for all of them.`;
  terminal.say(terminal.paintMessage('dim', more));
}

async function showList(list: ListPromise<unknown>, isAll: boolean, view: View, session: Session): Promise<void> {
  const { terminal } = session;
  if (!isAll) return showPage((await list) as unknown as Page, view, session);
  let table: RecordTable | undefined;
  let shown = 0;
  for await (const page of list.pages()) {
    if (view.isJson) {
      // One line for each record, so that a reader need not hold all of them.
      await terminal.outAll(page.data.map((record) => `${safeJson(picked(record, view.fields))}\n`).join(''));
    } else if (page.data.length > 0) {
      table ??= new RecordTable(columnsFor(page.data, view.fields), terminal);
      table.show(page.data);
    }
    shown += page.data.length;
    const count = Number((page as unknown as Shown).count ?? shown);
    if (!terminal.isOutTerminal) terminal.progress(`${shown.toLocaleString('en')} of ${count.toLocaleString('en')}`);
  }
  terminal.endProgress();
  if (!view.isJson) terminal.say(terminal.paintMessage('dim', `${shown.toLocaleString('en')} in all.`));
}

/** Replaces the path of a file by its bytes. */
async function withFile(params: Params, { terminal, flags }: Session): Promise<Params> {
  const path = params.file;
  if (typeof path !== 'string') throw new CliError('There is no file to upload. Name one: --file report.pdf');
  try {
    if (!(await stat(path)).isFile()) throw new Error('it is no file');
    const file = new File([await openAsBlob(path)], flags.curl ? path : basename(path));
    terminal.progress(`Uploading ${basename(path)} (${(file.size / 1e6).toFixed(1)} MB) …`);
    return { ...params, file };
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function saveFile(response: Response, path: string | undefined, { terminal }: Session): Promise<void> {
  if (path === undefined && terminal.isOutTerminal) {
    await response.body?.cancel();
    throw new CliError('A file would disturb the terminal. Pass --output <path>, or redirect the output.');
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (path === undefined) return void process.stdout.write(bytes);
  try {
    await writeFile(path, bytes, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError(
      code === 'EEXIST' ? `${path} exists already. Choose another path.` : `${path} cannot be written: ${message}`,
    );
  }
  terminal.say(`Wrote ${path} (${bytes.length.toLocaleString('en')} bytes).`);
}

/** Follows a recovery until it ends. */
async function waitForRecovery(first: Shown, session: Session): Promise<Shown> {
  const { terminal, client, options } = session;
  let recovery = first;
  while (recovery.status === 'pending') {
    terminal.progress(`Recovering: ${Number(recovery.resent ?? 0).toLocaleString('en')} events sent again …`);
    await delay(500);
    for await (const each of client.webhookEndpoints.listRecoveries(String(first.webhook_endpoint), {}, options)) {
      if (each.id !== first.id) continue;
      recovery = each as unknown as Shown;
      break;
    }
  }
  terminal.endProgress();
  return recovery;
}
