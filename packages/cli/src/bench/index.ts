// What `isotherm bench` and the benchmarks of Isotherm itself run on. No public interface: it changes with them.

export { LATENCIES, runLoad, type Load, type LoadResult } from './load.js'
export { sequenceModes, type SequenceMode } from './sequence-modes.js'
export {
  BENCH_TABLE,
  benchSchema,
  openSequenceWork,
  type SequenceSizes,
  type SequenceWork,
} from './sequence-work.js'
