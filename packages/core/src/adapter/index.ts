// For packages that bring Isotherm to another query builder, or write models: what a column's values are on the wire, what is
// within a type, and what a key needs.

export { columnCodec, type CodecPlace, type ColumnCodec } from './column-codec.js'
export { FanOutTables, type OpenFanOutOptions } from './fan-out.js'
export { generatedExpressions } from './generated-expressions.js'
export { googleSqlColumnType } from './google-sql-type.js'
export { ColumnBuilder } from '../model/column-builder.js'
export { columnBuilders } from '../model/column-builders.js'
export { EXPRESSION, keyMaker, type KeyMaker } from '../database/key-maker.js'
export { SCOPE, transact, type Scoped, type TransactionScope } from '../database/transaction-scope.js'
export type { Supplies } from '../database/counter-supplies.js'
export { foreignKind } from '../dialects/foreign-kind.js'
export { COMMIT_TIMESTAMP } from '../dialects/wire.js'
export { innerTypes, isComposite, typesWithin } from '../model/column-type.js'
export { constraintName } from '../model/generated-name.js'
export { definitionOf, modelName } from '../model/model.js'
export type { SqlDialect } from '../model/sql-expression.js'
export type { TableDefinition } from '../model/table.js'
export type { ColumnPatch as ColumnDeclaration } from '../model/column.js'
export type { Parameter, Statement } from '../dialects/statement.js'
export { preciseDate } from '../keys/precise-date.js'
export type { Wire, WireType } from '../dialects/wire.js'
export type {
  Cells,
  Mutation,
  Reader,
  ResultColumn,
  ResultSet,
  ResultType,
  Snapshot,
  TransactionContext,
} from '../database/driver.js'
