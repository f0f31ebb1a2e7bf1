import { Counter, type Registry } from 'prom-client';
import type { DiskWatch } from '../db/disk-watch.ts';

/** Counts the errors of a full disk. */
export function watchDisk(registers: Registry[], disk: DiskWatch): Counter {
  return new Counter({
    name: 'tenure_database_disk_full_errors_total',
    help: 'Errors of PostgreSQL on connections of this process because its disk is full. Reads continue, and writes fail.',
    registers,
    collect() {
      this.reset();
      this.inc(disk.errors);
    },
  });
}
