import { execFileSync, spawnSync, type ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished, describe, expect, test } from 'vitest';
import { PrinterBusyError, PrintError, PrintTurns, type Printer } from '../../../src/print/printer.ts';
import { reportPrinter, type ReportContents } from '../../../src/referencing/report/index.ts';
import { isAlive } from '../../faults/crash-checker/processes.ts';
import { waitMs } from '../../support/wait.ts';
import { contentsOf } from './contents.ts';

const indexFile = new URL('../../../src/referencing/report/index.ts', import.meta.url);
const contentsFile = new URL('./contents.ts', import.meta.url);
const processFile = new URL('./troubled-process.ts', import.meta.url);

function printerForTest(options: Parameters<typeof reportPrinter>[0] = {}): Printer<ReportContents> {
  const printer = reportPrinter(options);
  onTestFinished(() => printer.stop());
  return printer;
}

/** The two parts of the PDF's file id. They are equal in a file that was never changed. */
function idOf(pdf: Buffer): string {
  return /\/ID \[<(\w+)> <\1>\]/.exec(pdf.toString('latin1'))![1]!;
}

/** Returns the processes that this one starts from now on. */
function noteProcesses(): ChildProcess[] {
  const started: ChildProcess[] = [];
  const note = (message: unknown): unknown => started.push((message as { process: ChildProcess }).process);
  subscribe('child_process', note);
  onTestFinished(() => void unsubscribe('child_process', note));
  return started;
}

describe('reports with the same contents', () => {
  test('prints the same bytes when the contents are the same, in any process and after other reports', async () => {
    const [one, other] = [printerForTest(), printerForTest()];
    const first = await one.print(contentsOf());
    const unlike = contentsOf({ isTest: true, accountName: 'Όμιλος ﬃ & Ко', applicant: null, customerId: 'cus_1' });
    await other.print(unlike);
    expect(await one.print(contentsOf())).toEqual(first);
    expect(await other.print(contentsOf())).toEqual(first);
    expect(await one.print(unlike)).toEqual(await other.print(unlike));
    const reversed = Object.fromEntries(Object.entries(contentsOf()).toReversed()) as unknown as ReportContents;
    expect(await one.print(reversed)).toEqual(first);
  });

  test('gives the same contents the same file id, and other contents of the same moment another one', async () => {
    const printer = printerForTest();
    const id = idOf(await printer.print(contentsOf()));
    expect(idOf(await printer.print(contentsOf()))).toBe(id);
    expect(idOf(await printer.print(contentsOf({}, { words: 'Something else' })))).not.toBe(id);
  });
});

test('prints each report correctly when several are requested at once', async () => {
  const printer = printerForTest();
  const contents = Array.from({ length: 8 }, (_, index) => contentsOf({ referenceId: `ref_${index}` }));
  const together = await Promise.all(contents.map((one) => printer.print(one)));
  expect(new Set(together.map((pdf) => pdf.toString('latin1'))).size).toBe(contents.length);
  for (const [index, one] of contents.entries()) expect(together[index]).toEqual(await printer.print(one));
});

test('keeps the event loop running when a report is printed', async () => {
  const printer = printerForTest();
  await printer.print(contentsOf());
  const message = 'A note of usual length about how things stand with it. '.repeat(30);
  const timeline = Array.from({ length: 200 }, (_, index) => ({ created: index, message }));
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  await printer.print(contentsOf({ timeline })).finally(() => clearInterval(turning));
  expect(turns).toBeGreaterThan(20);
});

describe('printer processes', () => {
  test('ends its process when no report follows, and starts another for the next report', async () => {
    const processes = noteProcesses();
    const printer = printerForTest({ idleMs: 50 });
    const first = await printer.print(contentsOf());
    if (processes[0]!.signalCode === null) await once(processes[0]!, 'exit');
    expect(await printer.print(contentsOf())).toEqual(first);
    expect(processes).toHaveLength(2);
  });

  test('starts another process for the next report when the process dies while it is idle', async () => {
    const processes = noteProcesses();
    const printer = printerForTest();
    const first = await printer.print(contentsOf());
    processes[0]!.kill('SIGKILL');
    await once(processes[0]!, 'exit');
    expect(await printer.print(contentsOf())).toEqual(first);
  });

  test('gives its process a small heap, and no settings, when the server has others', async () => {
    // As `npm start` sets them.
    const flags = ['--max-old-space-size=512', '--max-semi-space-size=8'];
    const script = `
      import { reportPrinter } from '${indexFile.href}';
      import { contentsOf } from '${contentsFile.href}';
      const printer = reportPrinter({ processFile: new URL('${processFile.href}') });
      const { message } = await printer.print(contentsOf({ referenceId: 'ref_tells' })).catch((error) => error);
      console.log(message.slice(message.indexOf('{')));
      await printer.stop();`;
    const env = { ...process.env, TENURE_MASTER_KEY: 'secret', NODE_OPTIONS: flags.join(' ') };
    const output = execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', script], { env });
    const told = JSON.parse(output.toString()) as { env: string[]; heapMb: number };
    expect(told.env).toEqual(['MALLOC_ARENA_MAX']);
    expect(told.heapMb).toBeLessThan(160);
  });

  test('ends its process when the server has died', async () => {
    const script = `
      import { subscribe } from 'node:diagnostics_channel';
      import { reportPrinter } from '${indexFile.href}';
      import { contentsOf } from '${contentsFile.href}';
      let printing;
      subscribe('child_process', (message) => (printing = message.process));
      await reportPrinter().print(contentsOf());
      console.log(printing.pid);
      process.kill(process.pid, 'SIGKILL');`;
    const server = spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
    expect(server.signal).toBe('SIGKILL');
    const pid = Number(server.stdout);
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test.each(['SIGKILL', 'SIGTERM'])(
    'fails with a fault of the machine when the system ends the process (%s)',
    async (signal) => {
      const printer = printerForTest({ processFile });
      const before = await printer.print(contentsOf());
      const lost = printer.print(contentsOf({ referenceId: `ref_${signal}` }));
      await expect(lost).rejects.toThrow(PrinterBusyError);
      expect(await printer.print(contentsOf())).toEqual(before);
    },
  );

  test.each(['ref_dies', 'ref_greedy'])(
    'fails one report only when its process ends while it prints (%s)',
    async (referenceId) => {
      const printer = printerForTest({ processFile });
      const before = await printer.print(contentsOf());
      const [lost, next, last] = await Promise.allSettled([
        printer.print(contentsOf({ referenceId })),
        printer.print(contentsOf()),
        printer.print(contentsOf()),
      ]);
      expect(lost).toMatchObject({ status: 'rejected', reason: expect.any(PrintError) });
      expect(lost).not.toMatchObject({ reason: expect.any(PrinterBusyError) });
      expect(next).toEqual({ status: 'fulfilled', value: before });
      expect(last).toEqual({ status: 'fulfilled', value: before });
    },
  );

  // Other systems do not tell the processor time of another process.
  test.skipIf(process.platform !== 'linux')(
    'ends a process and starts another for the next report when printing takes too much of the processor',
    async () => {
      const printer = printerForTest({ processFile, processorMsMax: 5_000, turnMsMax: waitMs });
      const before = await printer.print(contentsOf());
      const endless = printer.print(contentsOf({ referenceId: 'ref_endless' }));
      const next = printer.print(contentsOf());
      await expect(endless).rejects.toThrow(/used the processor for \d{4,5} ms/);
      await expect(endless).rejects.not.toThrow(PrinterBusyError);
      expect(await next).toEqual(before);
    },
  );

  test('waits for the report when the process takes long without using the processor', async () => {
    const printer = printerForTest({ processFile });
    const before = await printer.print(contentsOf());
    // Other work can keep a process from the processor for so long.
    const slow = await printer.print(contentsOf({ referenceId: 'ref_waits' }));
    expect(slow.length).toBeGreaterThan(before.length / 2);
  });

  test('fails with a fault of the machine when a turn takes too long, and starts another process', async () => {
    const printer = printerForTest({ processFile, turnMsMax: 1 });
    await expect(printer.print(contentsOf())).rejects.toThrow(PrinterBusyError);
    await expect(printer.print(contentsOf())).rejects.toThrow(PrinterBusyError);
  });

  test('fails with a fault of the machine when too many files are open to start a process', () => {
    const printer = new URL('../../../src/print/printer.ts', import.meta.url);
    const script = `
      import { openSync } from 'node:fs';
      import { Printer } from '${printer.href}';
      try {
        for (;;) openSync('/dev/null');
      } catch {}
      const printer = new Printer({ processFile: new URL('file:///nowhere.ts') });
      await printer.print({}).catch((error) => console.log(error.constructor.name));`;
    const node = ['-c', 'ulimit -n 100; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', script];
    expect(execFileSync('sh', node, { encoding: 'utf8' })).toBe('PrinterBusyError\n');
  });

  test('starts no process when none is needed, and stops all the same', async () => {
    await expect(reportPrinter({ processFile: new URL('file:///nowhere.ts') }).stop()).resolves.toBeUndefined();
  });

  test('fails the report when a process cannot start', async () => {
    const printer = printerForTest({ processFile: new URL('file:///nowhere.ts') });
    await expect(printer.print(contentsOf())).rejects.toThrow(PrintError);
  });
});

test('keeps one process when printers share their turns', async () => {
  const processes = noteProcesses();
  const turns = new PrintTurns();
  const [one, other] = [printerForTest({ turns }), printerForTest({ turns })];
  const first = await one.print(contentsOf());
  const printing = Promise.all([one.print(contentsOf()), other.print(contentsOf()), one.print(contentsOf())]);
  expect(await printing).toEqual([first, first, first]);
  expect(processes.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', 'SIGKILL', null]);
});

test('ends running and waiting prints, and starts none, when the printer stops', async () => {
  const printer = printerForTest({ processFile });
  await printer.print(contentsOf());
  const asked = [printer.print(contentsOf({ referenceId: 'ref_endless' })), printer.print(contentsOf())];
  const outcomes = Promise.allSettled(asked);
  await delay(50);
  await printer.stop();
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(PrinterBusyError) });
  }
  await expect(printer.print(contentsOf())).rejects.toThrow('stopped');
});
