// The base of `isotherm bench` and of Isotherm's own benchmarks. Not a public interface: it changes with them.

export { LATENCIES, runLoad, type Load, type LoadResult } from './load.js'
export { sequenceModes, type SequenceMode } from './sequence-modes.js'
export {
  BENCH_TABLE,
  benchSchema,
  openSequenceWork,
  type SequenceSizes,
  type SequenceWork,
} from './sequence-work.js'
