export type { MigrationStatement, StatementKind } from './statement.js'
export { formatSnapshot, parseSnapshot, type Snapshot } from './snapshot.js'
export { migrationHash, statementHash, type Migration } from './files/migration.js'
export { formatMigration, parseMigration } from './files/migration-text.js'
export { checkSnapshots } from './files/check-snapshots.js'
export { excerpt } from './files/statement-start.js'
export { readMigrations } from './files/read-migrations.js'
export { writeMigration, type NewMigration } from './files/write-migration.js'
export { HISTORY_TABLE, isMigrationTable, LEASE_TABLE } from './history/tables.js'
export { leaseHolder } from './history/lease-holder.js'
export type { LeaseHolder } from './history/lease-options.js'
export type { MigrateEvent, MigrateListener, StatementPlace } from './run/events.js'
export { migrate, type MigrateOptions, type MigrateReport, type PlannedMigration } from './run/migrate.js'
export type { MigrationState } from './run/progress.js'
export { recordApplied } from './run/record-applied.js'
export type { SelectionOptions } from './run/selection.js'
export { migrationStatus, type MigrationStatus, type StatusOptions } from './run/status.js'
export { compareWithLive } from './compare-with-live.js'
export { describeChange } from './describe-change.js'
export { diffSchemas, type DiffOptions, type SchemaDiff } from './diff-schemas.js'
export { isDestructive, type SchemaChange } from './change.js'
export { planMigration } from './plan-migration.js'
export { MigrationRefusedError, type Refusal, type RefusalKind } from './refusal.js'
export { renameCandidates, type RenameCandidate } from './rename-candidates.js'
export type { Renames } from './renames.js'
export {
  planReshard,
  rehearseReshard,
  runReshardCommand,
  verifyReshard,
  type PlanReshardOptions,
  type RehearsalOptions,
  type RehearsalReport,
  type RehearsedStep,
  type ReshardPlan,
  type ReshardProgress,
  type ReshardRunOptions,
  type ReshardStatement,
  type ReshardStep,
  type ReshardStepName,
  type ReshardVerification,
  type TablePair,
} from './reshard/index.js'
