import {
  type Column,
  type ColumnType,
  IsothermError,
  type Schema,
  type SchemaFinding,
  type SecondaryIndex,
  type Table,
  bindingOf,
  columnOf,
  describeFindings,
  describeType,
  fillOf,
  firstLocation,
  hashedOutsideKey,
  isComposite,
  isFrozen,
  partitionLength,
  typesWithin,
  itemAt,
  cellsExpire,
  present,
} from '@isotherm/core/engine'
import type { CqlCapabilities } from './capabilities.js'
import { foldFindings, foldOf } from './fold.js'
import { type LaidIn, indexedType } from './types.js'
import { scalarRules } from './values.js'

/** Features of a table's columns that a CQL dialect does not support. */
function columnFindings(table: Table, has: CqlCapabilities): SchemaFinding[] {
  const outside = hashedBeside(table)
  return table.columns.flatMap((column) => {
    const at = (message: string, fix: string): SchemaFinding => ({
      table: table.name,
      column: column.property,
      message,
      fix,
    })
    return [
      ...madeFindings(column, at),
      ...keyFindings(table, column, has, at),
      ...typeFindings(column, has, at),
      ...(outside.includes(column.property)
        ? foundByFindings(table, column, at)
        : expiryFindings(table, column, at)),
    ]
  })
}

/** Rows of a partition expire one by one, and their static columns are written with each of them. */
function expiryFindings(table: Table, { nullable, ...column }: Column, at: At): SchemaFinding[] {
  if (nullable || column.static !== true || !cellsExpire(table)) return []
  return [
    at(
      'is static and not nullable, but rows of this table expire: it may expire before a row of its partition.',
      'Declare it nullable: true.',
    ),
  ]
}

/** An update has to give such a column, and compares it with the row's. */
function foundByFindings(table: Table, { nullable, ...column }: Column, at: At): SchemaFinding[] {
  if (column.static === true)
    return [
      at(
        'is static, and a key part is computed from it: an update that compares it could not check whether its row exists.',
        'Remove static, or add the column to the key.',
      ),
    ]
  if (!nullable || !cellsExpire(table)) return []
  return [
    at(
      'is nullable, and a key part is computed from it, but rows of this table expire: once its value has expired, it no longer finds the row.',
      'Remove nullable, or add the column to the key.',
    ),
  ]
}

/** The columns outside the key from which a part of the key is computed. */
function hashedBeside(table: Table): readonly string[] {
  const key = table.primaryKey.map(({ property }) => {
    const column = present(columnOf(table, property), `column ${property}`)
    return { field: { column, fill: fillOf(table, column, scalarRules) } }
  })
  return hashedOutsideKey({ key })
}

type At = (message: string, fix: string) => SchemaFinding

/** Values are made by the caller or the client: CQL has neither expressions nor counters that hand out numbers. */
function madeFindings({ source, inherited, ...column }: Column, at: At): SchemaFinding[] {
  const findings: SchemaFinding[] = []
  if (column.default !== undefined && !inherited) {
    findings.push(
      at(
        'has a default, but CQL does not support default expressions.',
        "Give the value at the insert, or use @DescTimestamp({ default: 'now' }).",
      ),
    )
  }
  if (column.generated)
    findings.push(
      at('is generated, but CQL does not compute values.', 'Compute it before the row is written.'),
    )
  if (column.hidden)
    findings.push(at('is hidden, but CQL does not support hidden columns.', 'Remove hidden.'))
  if (inherited || !source) return findings
  const { byDatabase } = bindingOf(source)
  if (byDatabase === 'computedBy') {
    findings.push(
      at(
        'is computed by the database, but CQL does not compute values.',
        'Remove computedBy: the client then computes it.',
      ),
    )
  }
  if (byDatabase === 'expression') {
    findings.push(
      at(
        'is computed by an SQL expression, which CQL does not support.',
        'Add the same as a function, compute: (row) => …, or remove the expression.',
      ),
    )
  }
  if (source.kind === 'timestamp' && source.from === 'commit') {
    findings.push(
      at(
        "has default: 'commit', but Cassandra does not report commit timestamps.",
        "Use default: 'now', the client's clock.",
      ),
    )
  }
  if (source.kind === 'bit-reversed' && source.from !== 'client') {
    findings.push(
      at(
        'is numbered by the database, but CQL does not support sequences.',
        'Use a counter of the client: from: asynchronousBatch(db, name). Or @UuidV4, which needs none.',
      ),
    )
  }
  return findings
}

function keyFindings(table: Table, column: Column, has: CqlCapabilities, at: At): SchemaFinding[] {
  const position = table.primaryKey.findIndex(({ property }) => property === column.property)
  if (position < 0) return []
  const findings: SchemaFinding[] = []
  if (column.nullable) {
    findings.push(
      at(
        'can be NULL, but a key part of Cassandra cannot.',
        'Remove nullable, and write another value for missing ones.',
      ),
    )
  }
  if (position >= partitionLength(table) && isComposite(column.type) && !has.ordersComposites) {
    findings.push(
      at(
        `is a clustering column of type ${describeType(column.type)}, whose order in Keyspaces is not documented.`,
        'Put its parts into the key, or the column into the partition key.',
      ),
    )
  }
  return findings
}

function typeFindings({ type, nullable }: Column, has: CqlCapabilities, at: At): SchemaFinding[] {
  const findings: SchemaFinding[] = []
  const kinds = new Set(typesWithin(type).map(({ kind }) => kind))
  if (kinds.has('vector') && !has.vectors)
    findings.push(at('is a vector, which Keyspaces does not have.', 'Keep it as bytes.'))
  if (kinds.has('duration') && !has.durations) {
    findings.push(
      at('is a duration, which Keyspaces does not have.', 'Keep months, days and nanoseconds as numbers.'),
    )
  }
  if (kinds.has('udt') && !has.userTypes)
    findings.push(
      at('is of a user type, which this dialect does not have.', 'Make its fields columns, or use json.'),
    )
  if (kinds.has('counter') && !has.counters)
    findings.push(at('is a counter, which this dialect does not have.', 'Use a sequence, or an int64.'))
  if (isComposite(type) && !isFrozen(type) && !nullable) {
    findings.push(
      at(
        `is of type ${describeType(type)} and not frozen: Cassandra stores an empty value as NULL.`,
        'Add nullable: true, or frozen: true.',
      ),
    )
  }
  return findings
}

const LOOKUP_TABLE = 'Keep a table of its own with that key, written beside this one.'

/**
 * Features of an index that a CQL dialect does not support.
 *
 * Sources: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/indexing/sai/sai-faq.html,
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/cassandra-apis.html
 */
function indexFindings(
  table: Table,
  index: SecondaryIndex,
  has: CqlCapabilities,
  schema: LaidIn,
): SchemaFinding[] {
  const of = (message: string, fix: string): SchemaFinding => ({
    table: table.name,
    message: `has the index ${index.name}${message}`,
    fix,
  })
  if (has.indexes === false) return [of(', and Keyspaces has no secondary indexes.', LOOKUP_TABLE)]
  const asks = (
    [
      [
        index.name.includes('.'),
        ' in a named schema, and CQL does not support schemas within a keyspace.',
        'Give it a name without a dot.',
      ],
      [index.unique, ', which is unique: Cassandra does not check uniqueness.', LOOKUP_TABLE],
      [
        index.storing.length > 0,
        ', which stores columns beside its own.',
        'Remove storing: a read fetches the row.',
      ],
      [
        index.nullFiltered || index.notNull.length > 0,
        ', which leaves rows out.',
        'Remove nullFiltered and notNull: the index never contains NULLs.',
      ],
      [
        index.shard !== undefined,
        ', which is sharded.',
        'Leave the shard out: each node indexes its own rows.',
      ],
      [
        index.interleaveIn !== undefined,
        `, interleaved in ${index.interleaveIn}.`,
        'Leave interleaveIn out: each node indexes its own rows.',
      ],
      [
        index.parts.length > 1,
        ' of several columns, and one indexes one column.',
        'Make an index of each of them.',
      ],
    ] as const
  ).flatMap(([does, message, fix]) => (does ? [of(message, fix)] : []))
  return asks.length > 0
    ? asks
    : [...partFindings(table, index, of), ...twiceFindings(table, index, schema, of)]
}

/** An index is always over the same part of a column (of a map, its values), so a second one of it is the same index. */
function twiceFindings(
  table: Table,
  index: SecondaryIndex,
  schema: LaidIn,
  of: (message: string, fix: string) => SchemaFinding,
): SchemaFinding[] {
  const { property } = itemAt(index.parts, 0)
  const name = columnOf(table, property)?.name
  // A parent in the same table of the database has the key columns of its children, whose indexes are made after its own.
  const parent =
    foldOf(table, schema)?.as === 'rows beside static'
      ? schema.tables.find((each) => each.name === table.parent?.table)
      : undefined
  const before = [
    ...(parent?.indexes ?? []).map((each) => ({ of: parent!, index: each })),
    ...table.indexes.slice(0, table.indexes.indexOf(index)).map((each) => ({ of: table, index: each })),
  ]
  const first = before.find(
    (each) =>
      each.index.parts.length === 1 && columnOf(each.of, each.index.parts[0]!.property)?.name === name,
  )
  return first
    ? [
        of(
          ` over ${property}, which the index ${first.index.name} is over already.`,
          'Remove one of the two.',
        ),
      ]
    : []
}

function partFindings(
  table: Table,
  { parts }: SecondaryIndex,
  of: (message: string, fix: string) => SchemaFinding,
): SchemaFinding[] {
  const { property } = itemAt(parts, 0)
  const { type } = present(columnOf(table, property), `column ${property}`)
  const isSplit = type.kind === 'uuid' && type.storage === 'int64-pair'
  const isPartition = partitionLength(table) === 1 && table.primaryKey[0]?.property === property
  if (isPartition)
    return [
      of(` over ${property}, which is the partition key.`, 'Remove it: rows are found by the partition key.'),
    ]
  const held = indexedType(type)
  if (held.kind === 'vector' && held.dimensions === 1) {
    return [
      of(
        ` over ${property}, of vectors of one dimension, and cosine similarity needs two or more.`,
        'Remove it, or use float32 instead of the vector.',
      ),
    ]
  }
  if (isSplit || !canBeIndexed(type)) {
    return [
      of(
        ` over ${property}, of type ${describeType(type)}${isSplit ? ' in two columns' : ''}, which cannot be indexed.`,
        LOOKUP_TABLE,
      ),
    ]
  }
  return []
}

/** A type that is stored as one value is indexed as one; of a collection, each item is. */
function canBeIndexed(type: ColumnType): boolean {
  if (typesWithin(type).some(({ kind }) => kind === 'duration')) return false
  if (isComposite(type) && isFrozen(type)) return true
  if (type.kind === 'udt') return false
  const items = typesWithin(type)
  return items.every((item) => item.kind !== 'bytes' && item.kind !== 'counter' && !isRawUuid(item))
}

function isRawUuid(type: ColumnType): boolean {
  return type.kind === 'uuid' && type.storage === 'bytes'
}

// Features that CQL, or one of its dialects, does not support: reported when a schema is compiled, and not in production.

/** @throws {IsothermError} `UNSUPPORTED_MODEL` with everything that a schema asks for and the dialect does not have. */
export function refuseUnsupported(schema: Schema, has: CqlCapabilities): void {
  refuse([...objectFindings(schema), ...schema.tables.flatMap((table) => tableFindings(table, schema, has))])
}

/** @throws {IsothermError} `UNSUPPORTED_MODEL` with everything that a table asks for and the dialect does not have. */
export function refuseTable(table: Table, schema: LaidIn, has: CqlCapabilities): void {
  refuse(tableFindings(table, schema, has))
}

function refuse(findings: readonly SchemaFinding[]): void {
  const [first, ...others] = findings
  if (!first) return
  const { table, column, message, fix } = first
  const where = column === undefined ? table : `${table}.${column}`
  throw new IsothermError(
    'UNSUPPORTED_MODEL',
    others.length === 0 ? `${where} ${message}` : describeFindings('CQL does not have all of this', findings),
    { ...firstLocation(findings), ...(others.length === 0 && { fix }) },
  )
}

/** Findings about objects that do not belong to one table. */
function objectFindings(schema: Schema): SchemaFinding[] {
  const { namespaces, sequences, views, changeStreams, opaqueStatements = [] } = schema
  return [
    ...opaqueStatements.map(({ create }) => ({
      table: 'the schema',
      message: `has the opaque statement ${JSON.stringify(create)}, but opaque statements are supported on Spanner only.`,
      fix: 'Remove it, and run it outside of the migrations.',
    })),
    ...namespaces.map((table) => ({
      table,
      message: 'is a named schema, and CQL does not support schemas within a keyspace.',
      fix: 'Remove it, and give each keyspace a driver of its own.',
    })),
    ...sequences.map(({ name }) => ({
      table: name,
      message: 'is a sequence of the database, but CQL does not support sequences.',
      fix: 'Use a counter of the client: asynchronousBatch(db, name).',
    })),
    ...views.map(({ name }) => ({
      table: name,
      message: 'is a view, but Isotherm does not support views in CQL.',
      fix: 'Keep a table with that key, written beside this one.',
    })),
    ...changeStreams.map(({ name }) => ({
      table: name,
      message: 'is a change stream, which CQL does not have.',
      fix: 'Remove it, or read the changes where the cluster logs them.',
    })),
  ]
}

// Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/TTL-how-it-works.html; Cassandra refuses more, too.
const LONGEST_LIFE = 630_720_000

function tableFindings(table: Table, schema: LaidIn, has: CqlCapabilities): SchemaFinding[] {
  const of = (message: string, fix: string): SchemaFinding => ({ table: table.name, message, fix })
  const { ttlSeconds = 0, workload } = table
  return [
    ...(table.name.includes('.')
      ? [
          of(
            'is in a named schema, and CQL does not support schemas within a keyspace.',
            'Give it a name without a dot.',
          ),
        ]
      : []),
    ...(ttlSeconds > LONGEST_LIFE
      ? [of(`has the invalid ttlSeconds ${ttlSeconds}.`, `The maximum is 20 years: ${LONGEST_LIFE} seconds.`)]
      : []),
    ...(table.opaqueColumns ?? []).map(({ name }) =>
      of(
        `has the opaque column ${name}, but opaque columns are supported on Spanner only.`,
        'Declare it with a type of CQL.',
      ),
    ),
    ...table.checks.map(({ name }) =>
      of(
        `has the check ${name}, but CQL does not support checks.`,
        'Remove it, and check values in the application.',
      ),
    ),
    ...table.foreignKeys.map(({ name }) =>
      of(
        `has the foreign key ${name}, but CQL does not support foreign keys.`,
        'Remove it, and keep both rows consistent in the application.',
      ),
    ),
    ...(table.rowDeletion
      ? [
          of(
            `has rowDeletion by ${table.rowDeletion.property}, which CQL does not support.`,
            `Use ttlSeconds: ${table.rowDeletion.days * 86_400}, counted from the write.`,
          ),
        ]
      : []),
    ...(has.limits.rowBytes !== undefined &&
    workload?.rowBytes !== undefined &&
    workload.rowBytes > has.limits.rowBytes
      ? [
          of(
            `expects rows of ${workload.rowBytes} bytes, but a row has at most ${has.limits.rowBytes}.`,
            'Store large values elsewhere, or split them over several rows.',
          ),
        ]
      : []),
    ...interleavingFindings(table, schema),
    ...columnFindings(table, has),
    ...table.indexes.flatMap((index) => indexFindings(table, index, has, schema)),
  ]
}

function interleavingFindings(table: Table, schema: LaidIn): SchemaFinding[] {
  const parent = schema.tables.find(({ name }) => name === table.parent?.table)
  if (!parent || !table.parent) return []
  const of = (message: string, fix: string): SchemaFinding => ({ table: table.name, message, fix })
  const cascades = table.parent.onDelete === 'cascade'
  if (table.rows === 'own') {
    return cascades
      ? [
          of(
            `is not deleted with the rows of ${parent.name}: it is another table.`,
            "Remove onDelete: 'cascade', and delete the rows of both tables.",
          ),
        ]
      : []
  }
  const findings = foldFindings(table, schema)
  if (findings.length > 0) return findings
  const counting = [parent, table].find(({ columns }) => columns.some(({ type }) => type.kind === 'counter'))
  return [
    ...(counting
      ? [
          of(
            `is stored in one table with ${parent.name}, but ${counting.name} has counters, and a table with counters cannot have other columns outside its key.`,
            "Add rows: 'own'.",
          ),
        ]
      : []),
    ...(cascades
      ? []
      : [
          of(
            `would be deleted with the rows of ${parent.name}: a partition is deleted as a whole.`,
            "Add onDelete: 'cascade', or rows: 'own'.",
          ),
        ]),
  ]
}
