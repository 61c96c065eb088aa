export { jsonNull, type JsonNull } from '@isotherm/core'
export {
  drizzle,
  type DrizzleDatabase,
  type SpannerClient,
  type SpannerConfig,
} from './googlesql/db/driver.js'
export type { BatchItem, BatchResults } from './session/batch.js'
export type { MutationRow, TableMutations } from './keys/mutations.js'
export type { QueryOptions, ReadOnlyConfig, ReadWriteConfig, TransactionConfig } from './session/executor.js'
export type { PreparedQuery, WriteResult } from './session/prepared.js'
export type { RawResult } from './session/prepared.js'
export {
  spannerTable,
  spannerTableCreator,
  type AnySpannerTable,
  type BuildColumns,
  type SpannerTable,
  type SpannerTableExtra,
  type SpannerTableFn,
  type SpannerTableWithColumns,
} from './googlesql/tables/table.js'
export { getTableConfig, type DeclaredTable } from './googlesql/kind/table-kind.js'
export { alias, type BuildAliasTable } from './googlesql/tables/alias.js'
export type {
  AddAliasToSelection,
  ChangeColumnTableName,
  MapColumnsToTableAlias,
} from './googlesql/tables/alias.js'
export { spannerSchema, type SpannerSchema } from './googlesql/kind/schema.js'
export {
  spannerSequence,
  type SpannerSequence,
  type SpannerSequenceOptions,
} from './googlesql/tables/sequence.js'
export { spannerView, type SpannerView, type SpannerViewFn } from './googlesql/kind/schema.js'
export type { SpannerViewBase, SpannerViewWithSelection } from './googlesql/tables/alias.js'
export { check, type Check } from './googlesql/tables/constraints.js'
export { foreignKey, type ForeignKeyBuilder } from './googlesql/tables/constraints.js'
export { index, uniqueIndex, type IndexBuilder, type IndexBuilderOn } from './googlesql/tables/indexes.js'
export { interleaveIn, type InterleaveOptions, type Interleaving } from './googlesql/tables/table-options.js'
export { primaryKey, type PrimaryKeyBuilder } from './googlesql/tables/constraints.js'
export {
  workload,
  suppress,
  rowDeletionPolicy,
  type TableWorkload,
  type RowDeletionPolicy,
  type TableSuppression,
} from './googlesql/tables/table-options.js'
export { unique, type UniqueConstraintBuilder } from './googlesql/tables/constraints.js'
export type {
  AnySpannerColumn,
  BuildColumn,
  ReferenceActions,
  SpannerColumn,
  SpannerColumnBuilder,
} from './googlesql/columns/common.js'
export type { DeclaredAs, DeclaredColumn } from './columns/declared-column.js'
export type { KeyBuilder, MadeKeyBuilder } from './googlesql/columns/keys.js'
export { bitReversedId, type BitReversedIdOptions } from './googlesql/columns/keys.js'
export { bool } from './googlesql/columns/scalars.js'
export { bytes, type BytesConfig } from './googlesql/columns/scalars.js'
export { customType, type CustomTypeParams, type CustomTypeValues } from './googlesql/columns/custom.js'
export { date, type DateConfig, type SpannerDateBuilder } from './googlesql/columns/scalars.js'
export { descTimestamp, type DescTimestampOptions } from './googlesql/columns/keys.js'
export { float32 } from './googlesql/columns/scalars.js'
export { float64 } from './googlesql/columns/scalars.js'
export { hashKey, type HashKeyOptions } from './googlesql/columns/keys.js'
export {
  int64,
  type IdentityOptions,
  type Int64Config,
  type SpannerInt64Builder,
} from './googlesql/columns/scalars.js'
export { json } from './googlesql/columns/scalars.js'
export { numeric, type NumericConfig } from './googlesql/columns/scalars.js'
export { parentKey } from './googlesql/columns/keys.js'
export { sequential, type SequentialOptions } from './googlesql/columns/keys.js'
export { shardKey, type ShardKeyOptions } from './googlesql/columns/keys.js'
export { string, type StringConfig } from './googlesql/columns/scalars.js'
export {
  commitTimestamp,
  timestamp,
  type SpannerTimestampBuilder,
  type TimestampConfig,
} from './googlesql/columns/timestamp.js'
export { uuid, type SpannerUuidBuilder, type UuidConfig } from './googlesql/columns/scalars.js'
export { uuidV4 } from './googlesql/columns/keys.js'
export { toSchema, type DrizzleChangeStream, type ToSchemaOptions } from './schema/to-schema.js'
export { toDrizzle, type SpannerModelTable, type ToDrizzle } from './to-drizzle/googlesql.js'
export type {
  AnyModel,
  ColumnConfig,
  ColumnConfigs,
  FieldsOf,
  NameMark,
  NameOf,
  ToDrizzleOptions,
} from './to-drizzle/models.js'
export { SpannerDialect, type SpannerDialectConfig } from './googlesql/sql/dialect.js'
export {
  SpannerDatabase,
  SpannerTransaction,
  type RelationalQueries,
  type SpannerDatabaseConfig,
} from './googlesql/db/db.js'
export {
  arrayContained,
  arrayContains,
  arrayOverlaps,
  cosineDistance,
  innerProduct,
  l2Distance,
} from './googlesql/sql/expressions.js'
export { ilike, notIlike } from './sql/condition.js'
export type { RelationalQueryBuilder, SpannerRelationalQuery } from './googlesql/select/query-builder.js'
export { QueryBuilder } from './googlesql/select/query-builder.js'
export { except, exceptAll, intersect, intersectAll, union, unionAll } from './googlesql/select/select.js'
export type { SpannerCount } from './googlesql/select/query-builder.js'
export type { RawQuery } from './googlesql/select/query-builder.js'
// The states of statements beside them: declarations of functions that return some name them.
export type {
  AnySelect,
  DynamicSelect,
  JoinedSelect,
  JoinedTo,
  NarrowedSelect,
  RunningSelectMethods,
  SelectedFields,
  SelectInState,
  SelectMethods,
  SelectState,
  SetOperationExcluded,
  SpannerSelect,
  SpannerSelectBuilder,
  SpannerSelectQueryBuilder,
  StartedSelect,
  SubqueryWithSelection,
  WithSubqueryWithSelection,
} from './googlesql/select/select.types.js'
export type {
  DeleteFrom,
  DynamicWrite,
  InsertMethods,
  InsertOf,
  InsertValue,
  NarrowedWrite,
  ReturningWrite,
  SpannerDelete,
  SpannerInsert,
  SpannerInsertBuilder,
  SpannerUpdate,
  SpannerUpdateBuilder,
  StartedWrite,
  UpdateMethods,
  UpdateOf,
  UpdateValues,
  WriteState,
} from './googlesql/write/write.types.js'
export type { GroupHints, JoinHints, StatementHints, TableHints } from './googlesql/sql/hints.js'
export { fanOut, FanOut, type FanOutOptions, type SelectOf } from './fan-out/fan-out.js'
