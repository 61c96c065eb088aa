export { dualWrites, type DualWrite, type DualWritesOptions } from './dual-writes.js'
export type { ReshardPhase } from './phases.js'
