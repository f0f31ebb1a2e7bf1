import { measureIdle, measureKill, measureLoad, sizesOf } from './products/measure.ts';
import { memoryMb } from './products/proc.ts';
import { startTenure } from './products/tenure.ts';
import { verify, type Figure, type Suite } from './suite.ts';

type Name = 'processorLow' | 'processorHigh' | 'latencyLowP50' | 'latencyLowP99' | 'idle' | 'memory' | 'killed';

/**
 * Measures what small installations notice: the cost at a low rate and at rest. Everything runs as `npm start` runs it, and its PostgreSQL
 * counts. Also kills the one process while it delivers.
 */
export const lowRate: Suite<Name> = {
  name: 'low_rate',
  figures: {
    processorLow: figureOf('Processor time for an event made and delivered at 50/s, all processes', 'ms', 2.5),
    processorHigh: figureOf('Processor time for an event made and delivered at 1,000/s, all processes', 'ms', 0.55),
    latencyLowP50: figureOf('Response to receipt at 50 events/s, p50', 'ms', 0.5),
    latencyLowP99: figureOf('Response to receipt at 50 events/s, p99', 'ms', 5),
    idle: figureOf('Processor time at rest, of one core, all processes', '%', 0.5),
    memory: figureOf('Memory at rest after a load, all processes (PSS)', 'MB', 220),
    killed: figureOf('From kill -9 of the only worker to the receipt of the last event accepted before', 'ms', 2_000),
  },
  async round({ deployment, seconds }, round) {
    const sizes = sizesOf(seconds);
    const product = await startTenure(deployment.logDir);
    try {
      const at = async (perSecond: number, loadSeconds: number): Promise<Costs> => {
        const order = { kind: 'at_rate', perSecond, seconds: loadSeconds, seed: round } as const;
        const { failed, lost, processorMs, p50Ms, p99Ms } = await measureLoad(product, order, sizes);
        verify(`${failed} events failed and ${lost} were lost at ${perSecond}/s`, failed === 0 && lost === 0);
        if (typeof processorMs === 'string') throw new Error(processorMs);
        return { processorMs, p50Ms, p99Ms };
      };
      await at(sizes.highPerSecond, sizes.warmUpSeconds);
      const low = await at(sizes.lowPerSecond, sizes.lowSeconds);
      const high = await at(sizes.highPerSecond, sizes.seconds);
      return {
        processorLow: { value: low.processorMs },
        processorHigh: { value: high.processorMs },
        latencyLowP50: { value: low.p50Ms },
        latencyLowP99: { value: low.p99Ms },
        idle: { value: await measureIdle(product, sizes) },
        memory: { value: memoryMb(product.pids()) },
        killed: { value: await measureKill(product, sizes) },
      };
    } finally {
      await product.stop();
    }
  },
};

interface Costs {
  processorMs: number;
  p50Ms: number;
  p99Ms: number;
}

function figureOf(title: string, unit: Figure['unit'], aim: number): Figure {
  return { title, unit, better: 'less', floor: null, aim, needs: ['proc'] };
}
