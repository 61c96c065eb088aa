import type { SchemaFinding } from '../errors.js'
import { canBeHashed, canBeKey, describeType } from './column-type.js'
import type { Column } from './column.js'
import { MAX_INTERLEAVE_DEPTH, MAX_KEY_PARTS, MAX_SHARDS, MIN_SHARDS, type ShardSource } from './key.js'
import { columnOf, type Table } from './table.js'

// What holds for every engine. Limits of one engine are checked by its dialect, heat by the linter.

type Report = (message: string, fix: string, column?: string) => void

export function validateTables(tables: readonly Table[]): SchemaFinding[] {
  const findings: SchemaFinding[] = []
  const names = new Map<string, string>()
  for (const table of tables) {
    const report: Report = (message, fix, column) => {
      findings.push({ table: table.name, message, fix, ...(column !== undefined && { column }) })
    }
    claimName(names, table.name, `the table ${table.name}`, report)
    for (const index of table.indexes) claimName(names, index.name, `the index ${index.name}`, report)
    checkColumns(table, report)
    checkPrimaryKey(table, report)
    checkParent(table, tables, report)
    for (const column of table.columns) {
      checkSource(table, column, report)
      const { source } = column
      if (column.inherited || source?.kind !== 'bit-reversed' || source.from !== 'sequence') continue
      const name = source.sequence ?? `${table.name}_${column.name}_seq`
      claimName(names, name, `the sequence ${name}`, report, column.property)
    }
    checkIndexes(table, tables, report)
    checkExceptions(table, report)
  }
  return findings
}

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]{0,127}$/

/** Tables and indexes share one name space, in which upper and lower case are the same. */
function claimName(
  names: Map<string, string>,
  name: string,
  owner: string,
  report: Report,
  column?: string,
): void {
  checkIdentifier(name, report, column)
  const folded = name.toLowerCase()
  const other = names.get(folded)
  if (other === undefined) names.set(folded, owner)
  else
    report(
      `has the same name as ${other}.`,
      `Rename ${owner}: names differ by more than upper and lower case.`,
      column,
    )
}

function checkIdentifier(name: string, report: Report, column?: string): void {
  if (IDENTIFIER.test(name)) return
  report(
    `has the name ${JSON.stringify(name.slice(0, 140))}, which no database takes.`,
    'A name starts with a letter and has up to 128 letters, digits and underscores.',
    column,
  )
}

/** What `where` uses beside properties. */
const RESERVED = new Set(['AND', 'OR', 'NOT'])

function checkColumns(table: Table, report: Report): void {
  if (table.columns.length === 0) report('has no columns.', 'Declare at least its key.')
  const names = new Map<string, string>()
  const properties = new Set<string>()
  for (const { property, name, type } of table.columns) {
    checkIdentifier(name, report, property)
    if (RESERVED.has(property)) {
      report(
        'has the name of a filter that joins others.',
        "Give the property another name; `name` can keep the column's.",
        property,
      )
    }
    if (properties.has(property)) report('is declared twice.', 'Keep one of the two.', property)
    properties.add(property)
    const other = names.get(name.toLowerCase())
    if (other !== undefined && other !== property) {
      report(`has the same column name as ${other}.`, 'Give one of them another name.', property)
    }
    names.set(name.toLowerCase(), property)
    const length = type.kind === 'string' || type.kind === 'bytes' ? type.length : 'max'
    if (length !== 'max' && (!Number.isSafeInteger(length) || length < 1)) {
      report(`has the length ${length}.`, "A length is a whole number from 1, or 'max'.", property)
    }
  }
}

function checkPrimaryKey(table: Table, report: Report): void {
  const { primaryKey } = table
  if (primaryKey.length === 0) {
    report(
      'has no primary key.',
      'Mark its key parts with @Key, @ShardKey, @UuidV4 or the other key decorators.',
    )
  }
  if (primaryKey.length > MAX_KEY_PARTS) {
    report(`has ${primaryKey.length} key parts.`, `A key has at most ${MAX_KEY_PARTS}.`)
  }
  const seen = new Set<string>()
  for (const { property } of primaryKey) {
    const column = columnOf(table, property)
    if (!column) {
      report('is in the primary key, but is not a column.', `Choose from ${propertiesOf(table)}.`, property)
    } else if (!canBeKey(column.type)) {
      report(
        `is in the primary key, but is of type ${describeType(column.type)}.`,
        'Choose another column.',
        property,
      )
    }
    if (seen.has(property)) report('is in the primary key twice.', 'Name it once.', property)
    seen.add(property)
  }
}

function checkParent(table: Table, tables: readonly Table[], report: Report): void {
  const parent = table.parent && tables.find((other) => other.name === table.parent?.table)
  if (!parent) return
  parent.primaryKey.forEach((part, place) => {
    const own = table.primaryKey[place]
    const column = columnOf(table, part.property)
    if (own?.property === part.property && column?.inherited) return
    if (column && !column.inherited) {
      report(
        `repeats the key part of its parent ${parent.name}.`,
        `Declare it as @ParentKey() ${part.property}: its name, type and order are the parent's.`,
        part.property,
      )
    } else if (!column) {
      report(
        `is a key part of the parent ${parent.name} that the child does not have.`,
        `Add @ParentKey() ${part.property}, before the child's own key parts.`,
        part.property,
      )
    } else {
      report(
        `is key part ${place + 1} of the parent ${parent.name}, but not of the child.`,
        "A child's key starts with its parent's key, in the same order.",
        part.property,
      )
    }
  })
  if (table.primaryKey.length <= parent.primaryKey.length) {
    report(
      `has no key part of its own after those of its parent ${parent.name}.`,
      'Add one: the rows of one parent need it to differ.',
    )
  }
  let depth = 1
  let above: Table | undefined = parent
  const seen = new Set<Table>([table])
  while (above && !seen.has(above)) {
    seen.add(above)
    depth += 1
    const next: string | undefined = above.parent?.table
    above = next === undefined ? undefined : tables.find((other) => other.name === next)
  }
  if (depth > MAX_INTERLEAVE_DEPTH) {
    report(`is level ${depth} of its row tree.`, `A row tree has at most ${MAX_INTERLEAVE_DEPTH} levels.`)
  }
}

function checkSource(table: Table, column: Column, report: Report): void {
  const { source, property } = column
  if (!source || column.inherited) return
  const inKey = table.primaryKey.some((part) => part.property === property)
  if (source.kind === 'shard') {
    if (!inKey) report('is a shard, but not in the primary key.', 'Put it first in primaryKey.', property)
    checkShardCount(source.shards, report, property)
    checkShardSources(table, source, property, report)
  }
  if (source.kind === 'bit-reversed') checkCounters(column, report)
}

function checkShardCount(shards: number, report: Report, property?: string): void {
  if (Number.isSafeInteger(shards) && shards >= MIN_SHARDS && shards <= MAX_SHARDS) return
  report(
    `has ${shards} shards.`,
    `A shard count is a whole number from ${MIN_SHARDS} to ${MAX_SHARDS.toLocaleString('en')}.`,
    property,
  )
}

function checkShardSources(table: Table, source: ShardSource, property: string, report: Report): void {
  if (source.strategy !== 'hash') {
    const uuid = table.primaryKey.some((part) => columnOf(table, part.property)?.source?.kind === 'uuid-v4')
    if (!uuid) {
      report(
        `is a ${source.strategy} shard, which keeps nothing unique across shards.`,
        'Add a @UuidV4 key part, or hash the columns that are unique: of: [...].',
        property,
      )
    }
    return
  }
  if (source.of.length === 0) report('hashes no column.', 'Name the columns to hash: of: [...].', property)
  checkHashed(table, source.of, report, property)
}

/** `property` is the shard's; absent for an index's shard, which the database always computes, and anew on a change. */
function checkHashed(table: Table, of: readonly string[], report: Report, property?: string): void {
  const ofIndex = property === undefined
  for (const name of of) {
    const hashed = columnOf(table, name)
    if (!hashed) {
      report(`hashes ${name}, which is not a column.`, `Choose from ${propertiesOf(table)}.`, property)
    } else if (hashed.property === property || hashed.source?.kind === 'shard') {
      report(`hashes ${name}, which is a shard itself.`, 'Hash the columns that tell rows apart.', property)
    } else if (!canBeHashed(hashed.type)) {
      report(
        `hashes ${name}, of type ${describeType(hashed.type)}, whose text differs between engines.`,
        'Hash integers, strings, bytes, booleans, dates, timestamps or UUIDs.',
        property,
      )
    } else if (hashed.source?.kind === 'timestamp' && hashed.source.from === 'commit') {
      report(
        `hashes ${name}, a commit timestamp, which is not known when the key is made.`,
        'Hash another column, or set the timestamp with default: "now".',
        property,
      )
    } else if (!ofIndex && hashed.source?.kind === 'bit-reversed') {
      report(
        `hashes ${name}, which the database makes and which is spread already.`,
        'Leave the shard out, or hash another column.',
        property,
      )
    } else if (!ofIndex && !hashed.immutable && !table.primaryKey.some((part) => part.property === name)) {
      report(
        `hashes ${name}, which is neither a key part nor immutable: a change would leave the row in the wrong shard.`,
        'Add it to the key, or declare it immutable: true.',
        property,
      )
    }
  }
}

const MAX_INT64 = 2n ** 63n - 1n

function isPositiveInt64(text: string): boolean {
  return BigInt(text) >= 1n && BigInt(text) <= MAX_INT64
}

function checkCounters(column: Column, report: Report): void {
  if (column.source?.kind !== 'bit-reversed') return
  const { startCounter, skipRange } = column.source
  if (startCounter !== undefined && !isPositiveInt64(startCounter)) {
    report(`starts at ${startCounter}.`, 'startCounter is a positive 64-bit integer.', column.property)
  }
  if (
    skipRange &&
    !(
      isPositiveInt64(skipRange[0]) &&
      isPositiveInt64(skipRange[1]) &&
      BigInt(skipRange[0]) <= BigInt(skipRange[1])
    )
  ) {
    report(
      `skips ${skipRange[0]} to ${skipRange[1]}.`,
      'skipRange is two positive 64-bit integers, the lower one first.',
      column.property,
    )
  }
}

function checkIndexes(table: Table, tables: readonly Table[], report: Report): void {
  for (const index of table.indexes) {
    if (index.parts.length === 0)
      report(`has the index ${index.name} over nothing.`, 'Name its columns: on: [...].')
    for (const property of [...index.parts.map((part) => part.property), ...index.storing]) {
      const column = columnOf(table, property)
      if (!column) {
        report(
          `is in the index ${index.name}, but is not a column.`,
          `Choose from ${propertiesOf(table)}.`,
          property,
        )
      } else if (!index.storing.includes(property) && !canBeKey(column.type)) {
        report(
          `is in the index ${index.name}, but is of type ${describeType(column.type)}.`,
          'Store it instead, or index another column.',
          property,
        )
      } else if (
        index.storing.includes(property) &&
        table.primaryKey.some((part) => part.property === property)
      ) {
        report(
          `is stored in the index ${index.name}.`,
          'Leave it out: an index holds the whole key already.',
          property,
        )
      }
    }
    const held = new Set<string>()
    for (const property of [...index.parts.map((part) => part.property), ...index.storing]) {
      if (held.has(property)) report(`is in the index ${index.name} twice.`, 'Name it once.', property)
      held.add(property)
    }
    if (index.shard) {
      const { column } = index.shard
      const clash = table.columns.find((each) => each.name.toLowerCase() === column.toLowerCase())
      if (clash)
        report(
          `has the name of the index's shard ${column}.`,
          'Rename the column or the index.',
          clash.property,
        )
      checkShardCount(index.shard.shards, report)
      checkHashed(table, index.shard.of, report)
    }
    if (index.interleaveIn !== undefined) checkIndexParent(tables, index.interleaveIn, index, report)
  }
}

function checkIndexParent(
  tables: readonly Table[],
  parentName: string,
  index: Table['indexes'][number],
  report: Report,
): void {
  const parent = tables.find((other) => other.name === parentName)
  const names = parent?.primaryKey.map((part) => part.property) ?? []
  if (names.every((name, place) => index.parts[place]?.property === name)) return
  report(
    `has the index ${index.name}, interleaved in ${parentName}, that does not start with ${names.join(', ')}.`,
    `Start it with the key of ${parentName}.`,
  )
}

function checkExceptions(table: Table, report: Report): void {
  for (const { rule, reason } of table.exceptions) {
    if (rule.trim() !== '' && reason.trim() !== '') continue
    report(
      `has an exception from ${rule || 'no rule'} without a reason.`,
      'Say why, for whoever reads it next.',
    )
  }
}

function propertiesOf(table: Table): string {
  return table.columns.map((column) => column.property).join(', ')
}
