export {
  planReshard,
  type PlanReshardOptions,
  type ReshardPlan,
  type ReshardStatement,
  type ReshardStep,
  type ReshardStepName,
} from './plan.js'
export {
  formatReshardCommand,
  parseReshardCommand,
  type ReshardAction,
  type ReshardCommand,
  type TablePair,
} from './command.js'
export { runReshardCommand, verifyReshard } from './run.js'
export type { ReshardProgress, ReshardRunOptions } from './run-options.js'
export type { Fingerprint } from './verify.js'
export type { ReshardVerification, RowDifference, VerifiedGroup, VerifiedTable } from './verify.js'
export {
  rehearseReshard,
  type RehearsalOptions,
  type RehearsalReport,
  type RehearsedStep,
} from './rehearse.js'
export type { TreeOptions } from './plan.js'
