// Drizzle on PostgreSQL-dialect databases of Cloud Spanner: tables, columns and operators are `drizzle-orm/pg-core`'s own.

export { jsonNull, type JsonNull } from '@isotherm/core'
export {
  drizzle,
  type DrizzlePgDatabase,
  type SpannerClient,
  type SpannerConfig,
} from './postgresql/db/driver.js'
export { SpannerPgDatabase, SpannerPgTransaction, type SpannerPgDatabaseConfig } from './postgresql/db/db.js'
export { SpannerPgDialect } from './postgresql/sql/dialect.js'
export type { PgBatchItem, PgBatchResults } from './postgresql/session/prepared.js'
export type { SpannerPgQueryResultHKT } from './postgresql/session/prepared.js'
export type {
  SpannerPgQueries,
  SpannerPgQuery,
  SpannerPgQueryBuilder,
} from './postgresql/relational/types.js'
export type { MutationRow, TableMutations } from './keys/mutations.js'
export type { QueryOptions, ReadOnlyConfig, ReadWriteConfig, TransactionConfig } from './session/executor.js'
export type { PreparedQuery, WriteResult } from './session/prepared.js'
export type { RawResult } from './session/prepared.js'
export { ilike, notIlike } from './sql/condition.js'
export { interleaveIn, type InterleaveOptions, type Interleaving } from './googlesql/tables/table-options.js'
export type { IndexBuilder, IndexBuilderOn } from './googlesql/tables/indexes.js'
export {
  workload,
  suppress,
  rowDeletionPolicy,
  type TableWorkload,
  type RowDeletionPolicy,
  type TableSuppression,
} from './googlesql/tables/table-options.js'
export { immutable, type ImmutableColumns } from './postgresql/tables/table-config.js'
export { index, uniqueIndex, type PgIndexPart } from './postgresql/tables/indexes.js'
export type { DeclaredAs, DeclaredColumn } from './columns/declared-column.js'
export { sequential, type SequentialOptions } from './postgresql/columns/keys.js'
export { bytea, type ByteaConfig } from './postgresql/columns/keys.js'
export type { SpannerPgColumn, SpannerPgColumnBuilder } from './postgresql/columns/common.js'
export { commitTimestamp, pendingCommitTimestamp } from './postgresql/columns/keys.js'
export { parentKey } from './postgresql/columns/keys.js'
export { toDrizzle, type PgModelTable, type ToDrizzle } from './to-drizzle/postgresql.js'
export type {
  AnyModel,
  ColumnConfig,
  ColumnConfigs,
  FieldsOf,
  NameMark,
  NameOf,
  ToDrizzleOptions,
} from './to-drizzle/models.js'
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
