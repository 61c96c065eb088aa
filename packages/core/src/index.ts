export { IsothermError, SchemaError, type IsothermErrorCode, type SchemaFinding } from './errors.js'
export {
  BitReversedId,
  Column,
  DescTimestamp,
  Index,
  Key,
  ParentKey,
  ShardKey,
  Table,
  UuidV4,
} from './decorators/index.js'
export { defineTable, type ColumnBuilder, type Json, type TableBuilder } from './model/define-table.js'
export { defineSchema } from './model/define-schema.js'
export type { Model, TableModel } from './model/model.js'
export type { Change, Generated, GeneratedMark, Insert, KeyOf, Row } from './model/row.js'
export type { Schema } from './model/schema.js'
export type { Table as TableSchema, LintException, TableOptions } from './model/table.js'
export type { Column as ColumnSchema } from './model/column.js'
export type { ColumnType, ScalarType } from './model/column-type.js'
export type {
  BitReversedIdOptions,
  DescTimestampOptions,
  ShardKeyOptions,
  UuidV4Options,
} from './model/column-patch.js'
export type { IndexOptions } from './model/secondary-index.js'
export { HotspotError, lint, type LintOptions } from './lint/run.js'
export type { Finding, Severity } from './lint/rule.js'
export { compileDdl, type CompileDdlOptions } from './dialects/compile-ddl.js'
export type { DialectName } from './dialects/dialect.js'
export {
  Database,
  openDatabase,
  type Inserted,
  type InsertOptions,
  type OpenDatabaseOptions,
} from './database/database.js'
export type { Transaction, WriteOptions } from './database/transaction.js'
export type { CallOptions, CostProfile, Driver, ReadAt, ReadOptions } from './database/driver.js'
export type { Comparisons, Where } from './database/filter.js'
export type { FanOutQuery, Page } from './fan-out/query.js'
export type { ExplainedPlan } from './fan-out/explain.js'
export type { FanOutPlan, PlannedRead, PlannedStatement } from './fan-out/plan.js'
export type { Strategy } from './fan-out/costs.js'
