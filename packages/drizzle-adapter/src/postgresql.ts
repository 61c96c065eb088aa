// Drizzle on PostgreSQL-dialect databases of Cloud Spanner: tables, columns and operators are `drizzle-orm/pg-core`'s own.

export { drizzle, type DrizzlePgDatabase, type SpannerClient } from './postgresql/driver.js'
export { SpannerPgDatabase, SpannerPgTransaction, type SpannerPgDatabaseConfig } from './postgresql/db.js'
export { SpannerPgDialect } from './postgresql/dialect.js'
export type { PgBatchItem, PgBatchResults } from './postgresql/prepared.js'
export type { SpannerPgQueryResultHKT } from './postgresql/result.js'
export type {
  SpannerPgQueries,
  SpannerPgQuery,
  SpannerPgQueryBuilder,
} from './postgresql/relational/types.js'
export type { MutationRow, TableMutations } from './session/mutations.js'
export type { QueryOptions, ReadOnlyConfig, ReadWriteConfig, TransactionConfig } from './session/options.js'
export type { PreparedQuery, WriteResult } from './session/prepared.js'
export type { RawResult } from './session/raw-rows.js'
export { ilike, notIlike } from './sql/ilike.js'
export { interleaveIn, type InterleaveOptions, type Interleaving } from './googlesql/interleave.js'
export type { IndexBuilder, IndexBuilderOn } from './googlesql/indexes.js'
export {
  expectedLoad,
  lintException,
  rowDeletionPolicy,
  type LoadExpectation,
  type RowDeletionPolicy,
  type TableLintException,
} from './googlesql/table-options.js'
export { immutable, type ImmutableColumns } from './postgresql/immutable.js'
export { index, uniqueIndex, type PgIndexPart } from './postgresql/indexes.js'
export type { DeclaredAs, DeclaredColumn } from './columns/declared-column.js'
export { sequential, type SequentialOptions } from './postgresql/columns/sequential.js'
export { bytea, type ByteaConfig } from './postgresql/columns/bytea.js'
export type { SpannerPgColumn, SpannerPgColumnBuilder } from './postgresql/columns/common.js'
export { commitTimestamp, pendingCommitTimestamp } from './postgresql/columns/commit-timestamp.js'
export { parentKey } from './postgresql/columns/parent-key.js'
export { toDrizzle, type PgModelTable, type ToDrizzle } from './to-drizzle/postgresql.js'
export type {
  AnyModel,
  ColumnConfig,
  ColumnConfigs,
  FieldsOf,
  NameMark,
  NameOf,
  ToDrizzleOptions,
} from './to-drizzle/types.js'
export { toSchema, type DrizzleChangeStream, type ToSchemaOptions } from './schema/to-schema.js'
export {
  bitReversedId,
  descTimestamp,
  hashKey,
  shardKey,
  uuidV4,
  type BitReversedIdOptions,
  type DescTimestampOptions,
  type HashKeyOptions,
  type ShardKeyOptions,
} from './postgresql/columns/keys.js'
export { fanOut, FanOut, type FanOutOptions, type SelectOf } from './fan-out/fan-out.js'
