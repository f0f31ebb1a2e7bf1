import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { onTestFinished, describe, expect, test } from 'vitest';
import { PrinterBusyError, PrintError, PrintTurns, type Printer } from '../../../src/print/printer.ts';
import { reportPrinter, type ReportContents } from '../../../src/referencing/report/index.ts';
import { waitMs } from '../../support/wait.ts';
import { contentsOf } from './contents.ts';

const threadFile = new URL('./troubled-thread.ts', import.meta.url);

function printerForTest(options: Parameters<typeof reportPrinter>[0] = {}): Printer<ReportContents> {
  const printer = reportPrinter(options);
  onTestFinished(() => printer.stop());
  return printer;
}

/** The two parts of the PDF's file id. They are equal in a file that was never changed. */
function idOf(pdf: Buffer): string {
  return /\/ID \[<(\w+)> <\1>\]/.exec(pdf.toString('latin1'))![1]!;
}

/** Counts the worker threads of this process, as Linux names them. */
function workerThreads(): number {
  const names = readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/comm`, 'utf8'));
  return names.filter((name) => name === 'WorkerThread\n').length;
}

describe('reports with the same contents', () => {
  test('prints the same bytes when the contents are the same, in any thread and after other reports', async () => {
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

describe('printer threads', () => {
  test('ends its thread when no report follows, and starts another for the next report', async () => {
    const threads: Worker[] = [];
    const note = (thread: Worker): unknown => threads.push(thread);
    process.on('worker', note);
    onTestFinished(() => void process.off('worker', note));
    const printer = printerForTest({ idleMs: 50 });
    const first = await printer.print(contentsOf());
    await once(threads[0]!, 'exit');
    expect(await printer.print(contentsOf())).toEqual(first);
    expect(threads).toHaveLength(2);
  });

  test('limits the heap of a thread when flags limit the heap of the process', async () => {
    const threads: Worker[] = [];
    const note = (thread: Worker): unknown => threads.push(thread);
    process.on('worker', note);
    onTestFinished(() => void process.off('worker', note));
    const limit = getHeapStatistics().heap_size_limit;
    // As `npm start` sets them.
    setFlagsFromString('--max-old-space-size=512');
    setFlagsFromString('--max-semi-space-size=8');
    await printerForTest().print(contentsOf());
    const ofThread = await threads[0]!.getHeapStatistics();
    expect(ofThread.heap_size_limit).toBeLessThan(160 * 1024 * 1024);
    expect(getHeapStatistics().heap_size_limit).toBe(limit);
  });

  test.each(['ref_dies', 'ref_greedy'])(
    'fails one report only when its thread ends while it prints (%s)',
    async (referenceId) => {
      const printer = printerForTest({ threadFile });
      const before = await printer.print(contentsOf());
      const [lost, next, last] = await Promise.allSettled([
        printer.print(contentsOf({ referenceId })),
        printer.print(contentsOf()),
        printer.print(contentsOf()),
      ]);
      expect(lost).toMatchObject({ status: 'rejected', reason: expect.any(PrintError) });
      expect(next).toEqual({ status: 'fulfilled', value: before });
      expect(last).toEqual({ status: 'fulfilled', value: before });
    },
  );

  test('ends a thread and starts another for the next report when printing takes too much of the processor', async () => {
    const printer = printerForTest({ threadFile, processorMsMax: 5_000, turnMsMax: waitMs });
    const before = await printer.print(contentsOf());
    const endless = printer.print(contentsOf({ referenceId: 'ref_endless' }));
    const next = printer.print(contentsOf());
    await expect(endless).rejects.toThrow(/used the processor for \d{4,5} ms/);
    await expect(endless).rejects.not.toThrow(PrinterBusyError);
    expect(await next).toEqual(before);
  });

  test('waits for the report when the thread takes long without using the processor', async () => {
    const printer = printerForTest({ threadFile });
    const before = await printer.print(contentsOf());
    // Other work can keep a thread from the processor for so long.
    const slow = await printer.print(contentsOf({ referenceId: 'ref_waits' }));
    expect(slow.length).toBeGreaterThan(before.length / 2);
  });

  test('fails with a fault of the machine when a turn takes too long, and starts another thread', async () => {
    const printer = printerForTest({ threadFile, turnMsMax: 1 });
    await expect(printer.print(contentsOf())).rejects.toThrow(PrinterBusyError);
    await expect(printer.print(contentsOf())).rejects.toThrow(PrinterBusyError);
  });

  test('fails with a fault of the machine when too many files are open to start a thread', () => {
    const printer = new URL('../../../src/print/printer.ts', import.meta.url);
    const script = `
      import { openSync } from 'node:fs';
      import { Printer } from '${printer.href}';
      try {
        for (;;) openSync('/dev/null');
      } catch {}
      const printer = new Printer({ threadFile: new URL('file:///nowhere.ts') });
      await printer.print({}).catch((error) => console.log(error.constructor.name));`;
    const node = ['-c', 'ulimit -n 100; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', script];
    expect(execFileSync('sh', node, { encoding: 'utf8' })).toBe('PrinterBusyError\n');
  });

  test('starts no thread when none is needed, and stops all the same', async () => {
    await expect(reportPrinter({ threadFile: new URL('file:///nowhere.ts') }).stop()).resolves.toBeUndefined();
  });

  test('fails the report when a thread cannot start', async () => {
    const printer = printerForTest({ threadFile: new URL('file:///nowhere.ts') });
    await expect(printer.print(contentsOf())).rejects.toThrow(PrintError);
  });
});

test.skipIf(process.platform !== 'linux')('keeps one thread when printers share their turns', async () => {
  const turns = new PrintTurns();
  const [one, other] = [printerForTest({ turns }), printerForTest({ turns })];
  // The threads of earlier tests take a moment to end.
  await expect.poll(workerThreads).toBe(0);
  const first = await one.print(contentsOf());
  const printing = Promise.all([one.print(contentsOf()), other.print(contentsOf()), one.print(contentsOf())]);
  expect(await printing).toEqual([first, first, first]);
  expect(workerThreads()).toBe(1);
});

test('ends running and waiting prints, and starts none, when the printer stops', async () => {
  const printer = printerForTest({ threadFile });
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
