export { IsothermError, SchemaError, type IsothermErrorCode, type SchemaFinding } from './errors.js'
export {
  BitReversedId,
  Column,
  DescTimestamp,
  HashKey,
  Index,
  Key,
  ParentKey,
  Sequential,
  ShardKey,
  Table,
  TimeBucket,
  TimeUuid,
  UserType,
  UuidV4,
} from './decorators/index.js'
export { defineTable } from './model/define-table.js'
export { defineUserType } from './model/define-user-type.js'
export type { ColumnBuilder } from './model/column-builder.js'
export type { TableBuilder, UserTypeBuilder } from './model/column-builders.js'
export { jsonNull, type JsonNull } from './model/json-null.js'
// Types with a value beside them: see value-of-a-type.ts.
export { Json, JsonDocument, ValueOf } from './model/value-types.js'
export type { UserTypeModel, UserTypeSource } from './model/user-type.js'
export { defineSchema } from './model/define-schema.js'
export { isModel, type Model, type TableModel } from './model/model.js'
export { Change, Generated, type GeneratedMark, Insert, KeyOf, Row } from './model/row.js'
export type { OnlyAType } from './model/value-of-a-type.js'
export type { AnyCounter, Counter, ShardFunction, TransactionCounter } from './model/bindings.js'
export type {
  ChangeStream,
  OpaqueStatement,
  Schema,
  Sequence,
  UserType as UserTypeSchema,
  View,
  WatchedTable,
} from './model/schema.js'
export type {
  ChangeStreamOptions,
  SchemaOptions,
  SequenceOptions,
  ViewOptions,
} from './model/schema-objects.js'
export { splitStatements } from './sql/split.js'
// Not by name, so that the package of an engine can add to the interface in it.
export * from './model/sql-dialects.js'
export { sql, type Sql, type SqlExpression } from './model/sql-expression.js'
export type { ColumnDefault, DefaultValue } from './model/column-default.js'
export type {
  CheckOptions,
  Workload,
  ForeignKeyOptions,
  Suppression,
  OpaqueColumn,
  Table as TableSchema,
  TableOptions,
} from './model/table.js'
export type { Column as ColumnSchema } from './model/column.js'
export type {
  ColumnType,
  CompositeType,
  ElementType,
  FrozenType,
  ScalarType,
  UuidStorage,
  UserTypeField,
} from './model/column-type.js'
export type { BucketSize } from './keys/time-bucket.js'
export type {
  BitReversedIdOptions,
  ColumnOptions,
  DescTimestampOptions,
  HashKeyOptions,
  Int64Options,
  LengthOptions,
  SequentialOptions,
  ShardKeyOptions,
  TimestampOptions,
  UuidOptions,
  UuidV4Options,
} from './model/column-patch.js'
export type {
  CompositeOptions,
  ElementSource,
  TimeBucketOptions,
  TimeUuidOptions,
} from './model/wide-column-patch.js'
export type { TupleValue } from './model/value-types.js'
export type { FieldDecorator } from './decorators/dual.js'
export type { PreciseDate } from './keys/precise-date.js'
export type { IndexOptions } from './model/secondary-index.js'
export { HotspotError, lint, lintRules, type LintOptions } from './lint/run.js'
export type { EngineLint, Finding, LintStatement, Rule, Severity } from './engine/lint-rule.js'
export type { ShardLoad } from './lint/load.js'
export { compileDdl, type CompileDdlOptions } from './lint/run.js'
export type { Dialect, DialectRuntime, SqlDialect, SqlDialectRuntime } from './engine/dialect.js'
export { Database, openDatabase, type OpenDatabaseOptions } from './database/database.js'
export {
  type InsertOptions,
  type Inserted,
  type OpenRowsOptions,
  RowDatabase,
  type TransactionOptions,
  openRows,
} from './database/row-database.js'
export type { CompiledTables, TableResolver, TablesOf, TableView } from './rows/compiled-table.js'
export { introspect, type IntrospectOptions } from './database/introspect.js'
export type { Transaction, WriteOptions } from './transaction/transaction.js'
export type {
  CallOptions,
  Capability,
  Commit,
  ConditionalWrite,
  ConditionalWrites,
  Consistency,
  CostProfile,
  CounterChange,
  CounterWrites,
  DirectedReads,
  Driver,
  EngineOption,
  OutsideTransaction,
  PartitionedReads,
  Priority,
  TimestampBound,
  ReadOptions,
  Replicas,
  SchemaChanges,
  SchemaChangeState,
  TransactionalDriver,
  Transactions,
  WriteCallOptions,
} from './engine/driver.js'
export type { Comparisons, Where } from './rows/filter.js'
export type { FanOutQuery, Page, QueryOptions } from './read/query.js'
export type { AsyncRows } from './read/run/row-iterator.js'
export type { Aggregable } from './read/aggregates/aggregable.js'
export type { GroupedFanOut } from './read/aggregates/groups.js'
export type { GroupQuery } from './read/aggregates/groups.js'
export type {
  AverageOf,
  MinOf,
  MeasureOptions,
  Measures,
  MeasureValues,
  NumberProperty,
  OrderedProperty,
  SumOf,
} from './read/aggregates/groups.js'
export type { Children, IncludeOptions, IncludeOrder, Includes } from './read/plan/include.js'
export type { IncludeStrategy, PlannedInclude } from './read/plan/include.js'
export type {
  DatabaseEvents,
  FanOutReport,
  LaterPlan,
  MissingShard,
  SkewEvent,
} from './observability/events.js'
export type {
  Telemetry,
  TelemetryAttributes,
  TelemetryMetric,
  TelemetrySpan,
  TelemetrySpanStart,
} from './observability/telemetry.js'
export type { QueryPartitions, PartitionsOptions } from './read/partitions/partitions.js'
export type { QueryPartition, QueryPartitionSource } from './read/partitions/query-partition.js'
export type { QueryPartitionOptions } from './read/partitions/partitions.js'
export type { ExplainedPlan } from './read/plan/explain.js'
export type { PlannedCall, PlannedRead, PlannedStatement } from './read/plan/calls.js'
export type { FanOutPlan, PlanHints, PlannedBuckets, PlannedGroups, PlannedMerge } from './read/plan/plan.js'
export type { Strategy } from './read/plan/costs.js'
