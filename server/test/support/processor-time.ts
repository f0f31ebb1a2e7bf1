/** Returns the milliseconds of processor time that some work takes. Other processes on a busy machine take none of it. */
export function processorMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
