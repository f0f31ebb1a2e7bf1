import { Counter, Histogram, type Registry } from 'prom-client';
import { gaugeOnScrape } from './gauge-on-scrape.ts';

/** Milliseconds between measurements of the event loop's delay. Each wakes the process, also an idle one. No longer stall escapes them. */
const askEveryMs = 250;

/**
 * Shows what this process uses of its machine.
 *
 * @returns a function that stops it.
 */
export function watchProcess(registers: Registry[]): () => void {
  gaugeOnScrape(
    registers,
    {
      name: 'tenure_process_start_time_seconds',
      help: 'When this process started, in seconds since the Unix epoch by the clock of its machine.',
    },
    (gauge) => gauge.set(performance.timeOrigin / 1000),
  );
  const used: Counter = new Counter({
    name: 'tenure_process_cpu_seconds_total',
    help: 'Processor time that this process has used.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      used.reset();
      used.inc((user + system) / 1_000_000);
    },
  });
  gaugeOnScrape(
    registers,
    { name: 'tenure_process_resident_memory_bytes', help: 'Memory that this process takes of its machine.' },
    (gauge) => gauge.set(process.memoryUsage.rss()),
  );
  gaugeOnScrape(
    registers,
    {
      name: 'tenure_process_heap_used_bytes',
      help: 'Memory that is used for objects of JavaScript, those that wait to be collected included.',
    },
    (gauge) => gauge.set(process.memoryUsage().heapUsed),
  );
  return watchEventLoop(registers);
}

function watchEventLoop(registers: Registry[]): () => void {
  const delays = new Histogram({
    name: 'tenure_event_loop_delay_seconds',
    help: `How late the event loop ran a timer, measured every ${askEveryMs} ms. Meanwhile no request gets a response.`,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  let readAtMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    delays.observe(Math.max(0, nowMs - readAtMs - askEveryMs) / 1000);
    readAtMs = nowMs;
  }, askEveryMs).unref();
  return () => clearInterval(timer);
}
