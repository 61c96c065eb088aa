// The entry `@isotherm/core/engine`: what the drivers of an engine, and the parts of its dialects that run, are made of. It is not for
// applications.

export {
  answer,
  atTimeLimit,
  clientLimit,
  begun,
  cancelled,
  COSTS,
  SLOW_DATABASE,
  timeoutError,
  onAbort,
  refuseAborted,
  timeLimit,
} from './engine/calls.js'
export {
  defineRuntime,
  type DialectRuntime,
  isRuntime,
  sameDialect,
  type SqlDialectRuntime,
} from './engine/dialect.js'
export type {
  CallOptions,
  Capability,
  Cells,
  CommitOptions,
  ConditionalWrites,
  Consistency,
  CostProfile,
  CounterWrites,
  DirectedReads,
  Driver,
  MadeCells,
  OptionValues,
  PartitionedReads,
  PartitionOptions,
  QueryPartitionRequest,
  Priority,
  TimestampBound,
  Reader,
  ReadOptions,
  ReadRequest,
  Replicas,
  ResultColumn,
  ResultSet,
  ResultType,
  RowWrite,
  RowWrites,
  SchemaChanges,
  SchemaChangeState,
  Snapshot,
  SnapshotOptions,
  TransactionalDriver,
  TransactionContext,
  Transactions,
  WriteCallOptions,
  WriteInTransactionOptions,
  Written,
} from './engine/driver.js'
export { partitionCounters, partitionWrites, type PartitionWrites } from './engine/partition-writes.js'
export { Limits, withRetries } from './engine/retries.js'
export {
  CommitsFailed,
  existingRow,
  missingRow,
  positionsOf,
  shownKey,
  THERE_ALREADY,
} from './engine/row-writes.js'
export {
  type HashedColumn,
  type LayoutRules,
  type Mirror,
  refuseClashes,
  tableLayout,
} from './engine/table-layout.js'
export {
  describeFindings,
  firstLocation,
  IsothermError,
  type IsothermErrorCode,
  type SchemaFinding,
  shown,
} from './errors.js'
export { compareDecimal, compareText } from './keys/order.js'
export { fingerprint, type Hash64 } from './keys/fingerprint.js'
export { preciseDate, preciseOf, toMoment } from './keys/precise-date.js'
export { NULL_TEXT, SEPARATOR, unixMicros } from './keys/shard.js'
export { fieldErrors, fillOf, plainField, randomHalves, splitUuidField } from './layout/field.js'
export type { JsonRules } from './layout/json-value.js'
export {
  COMMIT_TIMESTAMP,
  type Field,
  type Fill,
  type IndexLayout,
  hashedOutsideKey,
  keyFields,
  type PhysicalColumn,
  physicalColumns,
  type PhysicalKeyPart,
  sameWire,
  staticColumns,
  type StoredRows,
  storedTable,
  type TableLayout,
  type Wire,
  type WireType,
} from './layout/layout.js'
export type {
  ColumnValue,
  KeyRange,
  Mutation,
  Parameter,
  Selection,
  Statement,
  Statements,
  WireRow,
} from './layout/statement.js'
export {
  canonicalDecimal,
  DECIMAL,
  foreignKind,
  list,
  no,
  NotAccepted,
  uuidCodec,
  type ValueCodec,
  valueCodec,
  type ValueRules,
} from './layout/values.js'
export { bindingOf } from './model/bindings.js'
export {
  canBeKey,
  type ColumnType,
  describeType,
  isComposite,
  isFrozen,
  type MapType,
  type ScalarType,
  type TypeKind,
  typesWithin,
  type UdtType,
  type VectorType,
} from './model/column-type.js'
export type { Column } from './model/column.js'
export { generatedName } from './model/generated.js'
export type { HashAlgorithm } from './model/key.js'
export type { UserTypeField } from './model/column-type.js'
export { findUserType, type Schema } from './model/schema.js'
export type { SecondaryIndex } from './model/secondary-index.js'
export { cellsExpire, columnOf, partitionLength, type Table } from './model/table.js'
export {
  anything,
  argumentMistakes,
  callback,
  checkArgument,
  checkOptions,
  either,
  flag,
  invalidOption,
  type Kind,
  kind,
  listOf,
  number,
  numberFrom,
  objectWith,
  oneOf,
  options,
  type OptionKinds,
  recordOf,
  required,
  secret,
  text,
  wholeNumber,
} from './options.js'
export {
  filledIn,
  isPrepared,
  StatementWrites,
  updateFound,
  upsertKeepingDefaults,
} from './sql/row-statements.js'
export { commonStatements, conditions, insertInto, shardColumn, source, tail } from './sql/statements.js'
export {
  isFloat,
  plainName,
  shardOfHash,
  type ShardRange,
  type SqlSyntax,
  SqlWriter,
  unqualified,
} from './sql/writer.js'
export {
  areWords,
  COMMENT,
  isName,
  isSymbol,
  type LexicalSyntax,
  nestedComment,
  NUMBER,
  OPERATOR,
  type Token,
  WHITE_SPACE,
} from './tokens/lexical-syntax.js'
export { placedTokens, tokenize, TokenReader } from './tokens/tokens.js'
export { transactionEnded } from './transaction/scope.js'
export { itemAt, known, paired, present } from './known.js'
export { internals } from './engine/internals.js'
