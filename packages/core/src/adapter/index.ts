// For packages that connect Isotherm to another query builder, or write models: the wire form of a column's values, the
// types within a type, and the requirements of a key.

export { columnCodec, type ColumnLocation, type ColumnCodec } from './column-codec.js'
export { FanOutTables, type OpenFanOutOptions } from './fan-out.js'
export { generatedExpressions } from './column-codec.js'
export { ColumnBuilder } from '../model/column-builder.js'
export { columnBuilders } from '../model/column-builders.js'
export { EXPRESSION, keyMaker, type KeyMaker } from '../write/key-maker.js'
export {
  refuseInTransaction,
  SCOPE,
  transact,
  transactionEnded,
  type Scoped,
  type TransactionScope,
} from '../transaction/scope.js'
export { refuseUnrun } from '../transaction/scope.js'
export type { Supplies } from '../rows/insert-plan.js'
export { valueOf as defaultValueOf } from '../model/column-default.js'
export { isSql } from '../model/sql-expression.js'
export { itemAt, known, paired, present } from '../known.js'
export { partitionedOf } from '../engine/driver.js'
export { internals } from '../engine/internals.js'
export { isSymbol, isWord, type LexicalSyntax } from '../tokens/lexical-syntax.js'
export { eachToken, placedTokens, TokenReader, type PlacedToken } from '../tokens/tokens.js'
export { foreignKind } from '../layout/values.js'
export { plainName } from '../sql/writer.js'
export { COMMIT_TIMESTAMP } from '../layout/layout.js'
export { quoted, shown } from '../errors.js'
export { innerTypes, isComposite, typesWithin } from '../model/column-type.js'
export { constraintName } from '../model/generated.js'
export { definitionOf, modelName } from '../model/model.js'
export { hasSql, sameDialect, type SqlDialectRuntime } from '../engine/dialect.js'
export type { TableDefinition } from '../model/table.js'
export type { ColumnPatch as ColumnDeclaration } from '../model/column.js'
export type { Parameter, Statement } from '../layout/statement.js'
export { READ_OPTIONS, TRANSACTION_OPTIONS } from '../engine/call-options.js'
export {
  anything,
  bigint,
  callback,
  checkArgument,
  checkOptions,
  either,
  flag,
  invalidOption,
  kind,
  leaveOut,
  listOf,
  nearName,
  number,
  objectWith,
  oneOf,
  recordOf,
  required,
  secret,
  text,
  wholeNumber,
  type Kind,
  type OptionKinds,
} from '../options.js'
export { TELEMETRY } from '../observability/telemetry.js'
export { preciseDate } from '../keys/precise-date.js'
export type { Wire, WireType } from '../layout/layout.js'
export type {
  Cells,
  Mutation,
  OutsideTransaction,
  Reader,
  ResultColumn,
  ResultSet,
  ResultType,
  Snapshot,
  TransactionContext,
} from '../engine/driver.js'
