import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import { languageOf, type AnyDialect } from '../../support/languages.js'
import { tokensOf, type Token } from './tokens.js'

// A schema in which everything that can have a name has one, and its DDL with other names.

export const NAMES = {
  table: 'PlainTable',
  child: 'PlainChild',
  other: 'PlainOther',
  shard: 'plain_shard',
  column: 'plain_column',
  pair: 'plain_pair',
  day: 'plain_day',
  note: 'plain_note',
  number: 'plain_number',
  index: 'PlainIndex',
  shardedIndex: 'PlainShardedIndex',
  sequence: 'PlainSequence',
  columnSequence: 'PlainColumnSequence',
  check: 'plain_check',
  foreignKey: 'plain_foreign_key',
  view: 'PlainView',
  stream: 'PlainStream',
  namespace: 'plain_namespace',
  spacedTable: 'plain_space.PlainTable',
} as const

export type NameKind = keyof typeof NAMES

export const kinds = Object.keys(NAMES) as NameKind[]

/** @throws {SchemaError} for names that no schema can have. */
export function schemaNamed(changed: Partial<Record<NameKind, string>> = {}): Schema {
  const names: Record<NameKind, string> = { ...NAMES, ...changed }
  const table = defineTable(
    names.table,
    (t) => ({
      shard: t.shardKey({ shards: 4, of: ['id', 'key'], name: names.shard }),
      key: t.string({ length: 100, name: names.column }).key(),
      day: t.date({ name: names.day }).key('desc'),
      id: t.int64().key(),
      pair: t.uuid({ storage: 'int64-pair', name: names.pair }),
      note: t.string({ nullable: true, name: names.note }),
      // Never a reserved word: a column with the name of its table has another SQL syntax.
      at: t.timestamp({ default: 'now', name: 'plain_at' }),
    }),
    {
      indexes: [
        {
          name: names.index,
          on: [{ property: 'note', order: 'desc' }, 'pair'],
          storing: ['at'],
          notNull: ['note'],
        },
        { name: names.shardedIndex, on: ['at'], shard: { shards: 4, of: ['key'] } },
      ],
      checks: [{ name: names.check, expression: 'TRUE' }],
    },
  )
  const child = defineTable(
    names.child,
    (t) => ({
      shard: t.parentKey<bigint>(),
      key: t.parentKey<string>(),
      day: t.parentKey<string>(),
      id: t.parentKey<bigint>(),
      line: t.int64().key(),
      other: t.int64({ nullable: true }),
    }),
    {
      interleaveIn: () => table,
      onDelete: 'cascade',
      foreignKeys: [{ name: names.foreignKey, columns: ['other'], references: () => other }],
    },
  )
  const other = defineTable(names.other, (t) => ({
    number: t.bitReversedId({ from: 'sequence', sequence: names.columnSequence, name: names.number }),
  }))
  const spaced = defineTable(
    names.spacedTable,
    (t) => ({ id: t.uuidV4(), note: t.string({ nullable: true }), at: t.timestamp({ default: 'now' }) }),
    { indexes: [{ on: ['note'] }], rowDeletion: { property: 'at', days: 30 } },
  )
  return defineSchema([table, child, other, spaced], {
    namespaces: [names.namespace],
    sequences: [{ name: names.sequence, startCounter: 7n, skipRange: [1n, 5n] }],
    views: [{ name: names.view, query: 'SELECT 1 AS one' }],
    changeStreams: [{ name: names.stream, watch: [{ table, columns: ['note'] }, spaced], retention: '7d' }],
  })
}

/** A schema like one from a file, which is not checked. */
export function unchecked(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema
}

/** The replaced names when this object gets another name. An index stays in the named schema of its table. */
export function namesFor(kind: NameKind, name: string): Map<string, string> {
  const names = new Map([[NAMES[kind] as string, name]])
  const dot = name.indexOf('.')
  if (kind === 'spacedTable') names.set('plain_space.PlainTable_note', `${name.slice(0, dot + 1)}Index`)
  return names
}

/** The schema with the names replaced everywhere. Expressions are code, and contain none of these names. */
export function renamed<T>(value: T, names: ReadonlyMap<string, string>): T {
  if (typeof value === 'string') return (names.get(value) ?? value) as T
  if (Array.isArray(value)) return value.map((each: unknown) => renamed(each, names)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, renamed(each, names)])) as T
}

/** The tokens of statements; a name with dots is one token. A dot in a name makes a named schema. */
export function shapesOf(statements: readonly string[], dialect: AnyDialect): Token[][] {
  return statements.flatMap((statement) => {
    const joined: Token[] = []
    for (const token of tokensOf(statement, languageOf(dialect))) {
      const [dot, before] = [joined.at(-1), joined.at(-2)]
      const named = token.kind === 'quoted' || token.kind === 'word'
      if (named && dot?.value === '.' && dot.kind === 'symbol' && before?.kind === token.kind) {
        joined.splice(-2, 2, { kind: token.kind, value: `${before.value}.${token.value}` })
      } else joined.push(token)
    }
    const [create, schema, name, ...more] = joined
    const isSchema = create?.value === 'CREATE' && schema?.value === 'SCHEMA'
    return isSchema && name?.kind === 'quoted' && more.length === 0 ? [] : [joined]
  })
}

/** Hints contain names without quotes. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/

/**
 * The differences of statements from those with plain names, except the names themselves; empty if there are none. Names that
 * are derived from other names are not compared.
 */
export function differences(
  plain: readonly Token[][],
  found: readonly Token[][],
  names: ReadonlyMap<string, string>,
): string[] {
  if (plain.length !== found.length) return [`${found.length} statements, not ${plain.length}`]
  const isDerived = (value: string): boolean =>
    [...names.keys()].some((name) => value !== name && value.includes(name.slice(name.indexOf('.') + 1)))
  return plain.flatMap((tokens, at) => {
    const own = found[at]!
    if (own.length !== tokens.length)
      return [`${own.length} tokens, not ${tokens.length}: ${own.map(({ value }) => value).join(' ')}`]
    return tokens.flatMap(({ kind, value }, index) => {
      const token = own[index]!
      const quoted = kind === 'quoted' || kind === 'text'
      const expected = names.get(value) ?? value
      const same = token.value === expected || (quoted && isDerived(value))
      if (token.kind === kind && same && (quoted || expected === value || PLAIN.test(expected))) return []
      return [`${token.kind} ${JSON.stringify(token.value)}, not ${kind} ${JSON.stringify(expected)}`]
    })
  })
}
