export { drizzle, type DrizzleDatabase, type SpannerClient } from './driver.js'
export type { BatchItem, BatchResults } from './session/batch.js'
export type { MutationRow, TableMutations } from './session/mutations.js'
export type { QueryOptions, ReadOnlyConfig, ReadWriteConfig, TransactionConfig } from './session/options.js'
export type { PreparedQuery, WriteResult } from './session/prepared.js'
export type { RawResult } from './session/raw-rows.js'
export {
  spannerTable,
  spannerTableCreator,
  type AnySpannerTable,
  type BuildColumns,
  type SpannerTable,
  type SpannerTableExtra,
  type SpannerTableFn,
  type SpannerTableWithColumns,
} from './googlesql/table.js'
export { getTableConfig, type DeclaredTable } from './googlesql/table-config.js'
export { alias, type BuildAliasTable } from './googlesql/alias.js'
export type {
  AddAliasToSelection,
  ChangeColumnTableName,
  MapColumnsToTableAlias,
} from './googlesql/aliased.types.js'
export { spannerSchema, type SpannerSchema } from './googlesql/schema.js'
export { spannerSequence, type SpannerSequence, type SpannerSequenceOptions } from './googlesql/sequence.js'
export { spannerView, type SpannerView, type SpannerViewFn } from './googlesql/view.js'
export type { SpannerViewBase, SpannerViewWithSelection } from './googlesql/view-base.js'
export { check, type Check } from './googlesql/checks.js'
export { foreignKey, type ForeignKeyBuilder } from './googlesql/foreign-keys.js'
export { index, uniqueIndex, type IndexBuilder, type IndexBuilderOn } from './googlesql/indexes.js'
export { interleaveIn, type InterleaveOptions, type Interleaving } from './googlesql/interleave.js'
export { primaryKey, type PrimaryKeyBuilder } from './googlesql/primary-key.js'
export {
  expectedLoad,
  lintException,
  rowDeletionPolicy,
  type LoadExpectation,
  type RowDeletionPolicy,
  type TableLintException,
} from './googlesql/table-options.js'
export { unique, type UniqueConstraintBuilder } from './googlesql/unique.js'
export type {
  AnySpannerColumn,
  BuildColumn,
  ReferenceActions,
  SpannerColumn,
  SpannerColumnBuilder,
} from './googlesql/columns/common.js'
export type { DeclaredAs, DeclaredColumn } from './columns/declared-column.js'
export type { KeyBuilder, MadeKeyBuilder } from './googlesql/columns/key-builder.js'
export { bitReversedId, type BitReversedIdOptions } from './googlesql/columns/bit-reversed-id.js'
export { bool } from './googlesql/columns/bool.js'
export { bytes, type BytesConfig } from './googlesql/columns/bytes.js'
export { customType, type CustomTypeParams, type CustomTypeValues } from './googlesql/columns/custom.js'
export { date, type DateConfig, type SpannerDateBuilder } from './googlesql/columns/date.js'
export { descTimestamp, type DescTimestampOptions } from './googlesql/columns/desc-timestamp.js'
export { float32 } from './googlesql/columns/float32.js'
export { float64 } from './googlesql/columns/float64.js'
export { hashKey, type HashKeyOptions } from './googlesql/columns/hash-key.js'
export {
  int64,
  type IdentityOptions,
  type Int64Config,
  type SpannerInt64Builder,
} from './googlesql/columns/int64.js'
export { json } from './googlesql/columns/json.js'
export { numeric, type NumericConfig } from './googlesql/columns/numeric.js'
export { parentKey } from './googlesql/columns/parent-key.js'
export { sequential, type SequentialOptions } from './googlesql/columns/sequential.js'
export { shardKey, type ShardKeyOptions } from './googlesql/columns/shard-key.js'
export { string, type StringConfig } from './googlesql/columns/string.js'
export {
  commitTimestamp,
  timestamp,
  type SpannerTimestampBuilder,
  type TimestampConfig,
} from './googlesql/columns/timestamp.js'
export { uuid, type SpannerUuidBuilder, type UuidConfig } from './googlesql/columns/uuid.js'
export { uuidV4 } from './googlesql/columns/uuid-v4.js'
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
} from './to-drizzle/types.js'
export { SpannerDialect, type SpannerDialectConfig } from './googlesql/dialect.js'
export {
  SpannerDatabase,
  SpannerTransaction,
  type RelationalQueries,
  type SpannerDatabaseConfig,
} from './googlesql/db.js'
export {
  arrayContained,
  arrayContains,
  arrayOverlaps,
  cosineDistance,
  innerProduct,
  l2Distance,
} from './googlesql/expressions.js'
export { ilike, notIlike } from './sql/ilike.js'
export type { RelationalQueryBuilder, SpannerRelationalQuery } from './googlesql/query-builders/query.js'
export { QueryBuilder } from './googlesql/query-builders/query-builder.js'
export {
  except,
  exceptAll,
  intersect,
  intersectAll,
  union,
  unionAll,
} from './googlesql/query-builders/set-operators.js'
export type { SpannerCount } from './googlesql/query-builders/count.js'
export type { RawQuery } from './googlesql/query-builders/raw.js'
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
} from './googlesql/query-builders/select.types.js'
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
} from './googlesql/query-builders/write.types.js'
export type { GroupHints, JoinHints, StatementHints, TableHints } from './googlesql/sql/hints.js'
export { fanOut, FanOut, type FanOutOptions, type SelectOf } from './fan-out/fan-out.js'
