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
export type { Json, ValueOf } from './model/value-types.js'
export type { UserTypeModel, UserTypeSource } from './model/user-type.js'
export { defineSchema } from './model/define-schema.js'
export { isModel, type Model, type TableModel } from './model/model.js'
export type { Change, Generated, GeneratedMark, Insert, KeyOf, Row } from './model/row.js'
export type { AnyCounter, Counter, ShardFunction, TransactionCounter } from './model/bindings.js'
export type {
  ChangeStream,
  Schema,
  Sequence,
  UserType as UserTypeSchema,
  UserTypeField,
  View,
  WatchedTable,
} from './model/schema.js'
export type {
  ChangeStreamOptions,
  SchemaOptions,
  SequenceOptions,
  ViewOptions,
} from './model/schema-objects.js'
export { splitStatements } from './sql/split-statements.js'
export type { SqlDialect, SqlExpression } from './model/sql-expression.js'
export type {
  ExpectedLoad,
  ForeignKeyOptions,
  LintException,
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
} from './model/column-type.js'
export type { BucketSize } from './keys/time-bucket.js'
export type {
  BitReversedIdOptions,
  ColumnOptions,
  DescTimestampOptions,
  HashKeyOptions,
  SequentialOptions,
  ShardKeyOptions,
  UuidV4Options,
} from './model/column-patch.js'
export type { CompositeOptions, TimeBucketOptions, TimeUuidOptions } from './model/cql-patch.js'
export type { IndexOptions } from './model/secondary-index.js'
export { HotspotError, lint, lintRules, type LintOptions } from './lint/run.js'
export type { Finding, LintStatement, Severity } from './lint/rule.js'
export type { ShardLoad } from './lint/shard-load.js'
export { partitionShards, type PartitionLoad, type PartitionShards } from './lint/partition-load.js'
export { splitShards, type SplitShards } from './lint/split-load.js'
export { compileDdl, type CompileDdlOptions } from './dialects/compile-ddl.js'
export type { DialectName } from './dialects/dialect.js'
export type { CqlTarget } from './model/cql-target.js'
export {
  Database,
  openDatabase,
  type Inserted,
  type InsertOptions,
  type OpenDatabaseOptions,
} from './database/database.js'
export type { DualWrite } from './database/dual-writes.js'
export type { ReshardPhase } from './database/dual-writes-phases.js'
export { introspect, type IntrospectOptions } from './database/introspect.js'
export type { Transaction, WriteOptions } from './database/transaction.js'
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
  PartitionedReads,
  Priority,
  ReadAt,
  ReadOptions,
  Replicas,
  SchemaChanges,
  SchemaChangeState,
  TransactionalDriver,
  WriteCallOptions,
} from './database/driver.js'
export type { Comparisons, Where } from './database/filter.js'
export type { FanOutQuery, Page, QueryOptions } from './fan-out/query.js'
export type { Aggregable } from './fan-out/aggregates/aggregable.js'
export type { GroupedFanOut } from './fan-out/aggregates/grouped.js'
export type { GroupQuery } from './fan-out/aggregates/group-query.js'
export type {
  AverageOf,
  LeastOf,
  MeasureOptions,
  Measures,
  MeasureValues,
  NumberProperty,
  OrderedProperty,
  SumOf,
} from './fan-out/aggregates/aggregate-types.js'
export type { Children, IncludeOptions, IncludeOrder, Includes } from './fan-out/children/include.js'
export type { IncludeWay, PlannedInclude } from './fan-out/children/include-plan.js'
export type { DatabaseEvents, FanOutReport, MissingShard, SkewEvent } from './observability/events.js'
export type { FanOutParts, PartitionsOptions } from './fan-out/partitions/partitions.js'
export type { FanOutPart, PartSource } from './fan-out/partitions/part.js'
export type { PartOptions } from './fan-out/partitions/part-reading.js'
export type { ExplainedPlan } from './fan-out/planning/explain.js'
export type { PlannedCall, PlannedRead, PlannedStatement } from './fan-out/planning/calls.js'
export type { FanOutPlan } from './fan-out/planning/plan.js'
export type { PlannedBuckets } from './fan-out/planning/plan-lanes.js'
export type { Strategy } from './fan-out/planning/costs.js'
