// The entry `@isotherm/core/tools`: parts for the tools of a dialect (DDL, introspection, differ, lint rules), and for
// migrations. The bundle of an application imports nothing from it.

export {
  checkClauses,
  type ColumnForeignKey,
  columnsOf,
  type Counter,
  counterChanges,
  type DefinedColumn,
  foreignKeyClause,
  foreignKeyColumns,
  identityChanges,
  type IndexColumn,
  indexColumns,
  interleaveClause,
  type Layouts,
  notNullClause,
  optionList,
  requiredSql,
  shardChecks,
  type NamedCheck,
  type ClauseSyntax,
} from './ddl/clauses.js'
export {
  columnLines,
  isComputedColumn,
  type OpaqueObject,
  opaqueObjects,
  type SqlColumn,
  sqlColumn,
} from './ddl/opaque.js'
export {
  type ColumnRowDeletion,
  ddlStatements,
  type DdlSyntax,
  layoutsByName,
  namespacesOf,
  type StreamOptions,
} from './ddl/syntax.js'
export { CALL_OPTIONS } from './engine/call-options.js'
export { keyWires, type PlainRow, rowCodec, type RowCodec, wireOfCell } from './engine/codec.js'
export {
  type CatalogReader,
  checkRuntime,
  type Dialect,
  defineDialect,
  dialectOption,
  dialectsOption,
  hasSql,
  isDialect,
  spokenDialect,
  type SqlDialect,
  sqlOf,
  type SqlParts,
} from './engine/dialect.js'
export { type BeginOptions, partitionedOf, snapshotsOf, transactionsOf } from './engine/driver.js'
export { deletedKeys } from './engine/row-writes.js'
export type { EngineLint, LintedDialect, Report, Rule, RuleContext, Severity } from './engine/lint-rule.js'
export {
  CHANGE,
  columnNameObstacle,
  type LaidOut,
  losesData,
  type PhysicalForeignKey,
  type PhysicalIndex,
  type PhysicalKeyColumn,
  type PhysicalView,
  type Refusal,
  type RefusalKind,
  type RenameCandidate,
  type RenameObstacle,
  type Renames,
  sameData,
  type RecordedSql,
  type SchemaChange,
  type SchemaDiff,
  type SchemaDiffer,
  type SchemaDiffOptions,
  type SchemaStatement,
  unknownName,
} from './engine/schema-change.js'
export { decided } from './engine/undecided.js'
export { refuseTypes, unsupportedModel } from './errors.js'
export type { Made } from './layout/layout.js'
export {
  callsIn,
  computedFrom,
  defaultText,
  generatedText,
  hashedBy,
  integerOf,
  isComputed,
  remainderOf,
  soleCall,
} from './lint/expressions.js'
export { valuesOf } from './lint/few-values.js'
export { growthOf } from './lint/growth.js'
export { hotLead } from './lint/leading.js'
export {
  bytes,
  checkedLoad,
  count,
  type KeyRanges,
  type ShardLoad,
  strain,
  WIDE_BYTES,
  WIDE_KEY,
  wideness,
  widthOf,
  widthOfAll,
} from './lint/load.js'
export { cappedKey } from './lint/rules/capped-key.js'
export { monotonicFirstKey } from './lint/rules/monotonic-first-key.js'
export { monotonicIndex } from './lint/rules/monotonic-index.js'
export { nullableFirstKey } from './lint/rules/nullable-first-key.js'
export { redundantIndex } from './lint/rules/redundant-index.js'
export { storingAdvice } from './lint/rules/storing-advice.js'
export { unevenShard } from './lint/rules/uneven-shard.js'
export { unstableShard } from './lint/rules/unstable-shard.js'
export { unsupportedFeature } from './lint/rules/unsupported-feature.js'
export { unusedSuppression } from './lint/rules/unused-suppression.js'
export { LINT_OPTIONS, refuseHotspots } from './lint/run.js'
export { type ColumnDefault, type DefaultValue, isKept } from './model/column-default.js'
export { canBeHashed, type ElementType, type Length } from './model/column-type.js'
export { deepFreeze } from './model/deep-freeze.js'
export {
  type HashSource,
  type KeyPart,
  MAX_KEY_PARTS,
  MAX_SHARDS,
  MIN_SHARDS,
  type Order,
  shardBounds,
  shardCountOf,
  type ShardSource,
  type TimeBucketSource,
  type ValueSource,
} from './model/key.js'
export {
  type ChangeStream,
  findTable,
  inNamespaceOf,
  namespaceOf,
  type OpaqueStatement,
  type Sequence,
  type UserType,
  type View,
  type WatchedTable,
} from './model/schema.js'
export type { IndexShard } from './model/secondary-index.js'
export { sqlFor } from './model/sql-expression.js'
export {
  type Workload,
  type ForeignKey,
  type Interleaving,
  type OpaqueColumn,
  type RowDeletion,
  shardColumnOf,
} from './model/table.js'
export { checkSchema, checkShape, SCHEMA } from './model/validate.js'
export { type CompiledTable, CompiledTables } from './rows/compiled-table.js'
export { derivedFill } from './rows/fill.js'
export { ddlSyntax, type OwnAlterSyntax } from './sql/ddl.js'
export { isWord } from './tokens/lexical-syntax.js'
export { forcedIndexes, tablePaths } from './tokens/query-sources.js'
export { parseSql, type SqlCast, type SqlNode, type SqlText } from './tokens/syntax-tree.js'
export {
  foldName,
  listedNames,
  type PlacedToken,
  splitList,
  textOf,
  tokenAt,
  withoutComments,
} from './tokens/tokens.js'
export {
  phaseNamed,
  ReshardControl,
  reshardControlSchema,
  reshardControlTables,
  ReshardCopy,
  type ReshardPhase,
} from './reshard/phases.js'
export { fieldRole, pairObstacles, plainKey, RowMapping, type StoredRow } from './reshard/row-mapping.js'
export { insertMutations } from './write/write.js'
