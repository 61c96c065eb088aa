export type { MigrationStatement, StatementKind } from './statement.js'
export { formatSnapshot, parseSnapshot, type Snapshot } from './snapshot.js'
export { migrationHash, statementHash, type Migration } from './files/migration.js'
export { formatMigration, parseMigration } from './files/migration-text.js'
export { checkSnapshots } from './files/migration.js'
export { excerpt } from './files/migration.js'
export { readMigrations } from './files/read-migrations.js'
export { writeMigration, type NewMigration } from './files/write-migration.js'
export { HISTORY_TABLE, isMigrationTable, LEASE_TABLE } from './history/tables.js'
export { leaseHolder } from './history/store-of.js'
export type { LeaseHolder } from './history/lease-options.js'
export type { MigrateEvent, MigrateListener, StatementPosition } from './run/events.js'
export { migrate, type MigrateOptions, type MigrateReport, type PlannedMigration } from './run/migrate.js'
export type { MigrationState } from './run/progress.js'
export { recordApplied } from './run/migrate.js'
export type { SelectionOptions } from './run/selection.js'
export { migrationStatus, type MigrationStatus, type StatusOptions } from './run/status.js'
export {
  recordedSql,
  recordSql,
  type RecordSqlOptions,
  type RecordedSqlOptions,
} from './history/sql-table.js'
export type { RecordedSql } from '@isotherm/core/tools'
export { compareWithLive } from './plan/diff-schemas.js'
export { describeChange } from './plan/describe-change.js'
export { diffSchemas, type DiffOptions } from './plan/diff-schemas.js'
export type { SchemaDiff } from '@isotherm/core/tools'
export { losesData, type SchemaChange } from '@isotherm/core/tools'
export { planMigration } from './plan/plan-migration.js'
export { MigrationRefusedError } from './plan/plan-migration.js'
export type { Refusal, RefusalKind } from '@isotherm/core/tools'
export { renameCandidates } from './plan/diff-schemas.js'
export type { RenameCandidate, Renames } from '@isotherm/core/tools'
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
