import { sqlFor } from '@isotherm/core/tools'
import type { ColumnSchema, Schema, SqlDialect, TableSchema } from '@isotherm/core'
import fc from 'fast-check'
import { validateSchema } from '../../packages/core/src/model/validate.js'

// Small changes of schemas, as people make them: one after the other, each only where it is possible.

type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Draft<T[Key]> }
    : T

type DraftTable = Draft<TableSchema>
type DraftColumn = Draft<ColumnSchema>

interface Pick {
  readonly dialect: SqlDialect
  /** Random numbers for choices. */
  readonly a: number
  readonly b: number
}

type Mutation = (schema: Draft<Schema>, pick: Pick) => void

function choose<T>(from: readonly T[], number: number): T | undefined {
  return from.length === 0 ? undefined : from[number % from.length]
}

function quoted(dialect: SqlDialect, name: string): string {
  const quote = dialect.name === 'googlesql' ? '`' : '"'
  return name
    .split('.')
    .map((part) => `${quote}${part}${quote}`)
    .join('.')
}

function isKey(table: DraftTable, column: DraftColumn): boolean {
  return table.primaryKey.some(({ property }) => property === column.property)
}

/** The columns that are neither part of the key nor generated. */
function plainColumns(table: DraftTable): DraftColumn[] {
  return table.columns.filter((column) => !isKey(table, column) && !column.generated)
}

function onPlainColumn(
  keep: (column: DraftColumn) => boolean,
  change: (column: DraftColumn, pick: Pick, table: DraftTable) => void,
): Mutation {
  return (schema, pick) => {
    const columns = schema.tables.flatMap((table) =>
      plainColumns(table)
        .filter((column) => column.name !== 'plain' && keep(column))
        .map((column) => ({ table, column })),
    )
    const chosen = choose(columns, pick.a)
    if (chosen) change(chosen.column, pick, chosen.table)
  }
}

const isText = ({ type, source }: DraftColumn): boolean =>
  (type.kind === 'string' || type.kind === 'bytes') && !source

function column(property: string, more: Partial<DraftColumn> = {}): DraftColumn {
  return {
    property,
    name: property,
    type: { kind: 'int64' },
    nullable: true,
    immutable: false,
    inherited: false,
    ...more,
  }
}

/** Removes a column with everything that refers to it. */
function forget(schema: Draft<Schema>, table: DraftTable, property: string): void {
  table.columns = table.columns.filter((each) => each.property !== property)
  table.indexes = table.indexes.filter(
    ({ parts, storing, notNull, shard }) =>
      ![...parts.map((part) => part.property), ...storing, ...notNull, ...(shard?.of ?? [])].includes(
        property,
      ),
  )
  table.foreignKeys = table.foreignKeys.filter(({ columns }) => !columns.includes(property))
  table.checks = table.checks.filter(({ expression }) => !JSON.stringify(expression).includes(property))
  if (table.rowDeletion?.property === property) delete table.rowDeletion
  for (const { watch } of schema.changeStreams) {
    if (watch === 'all') continue
    for (const each of watch)
      if (each.table === table.name && each.columns !== 'all')
        each.columns = each.columns.filter((name) => name !== property)
  }
}

const mutations: Readonly<Record<string, Mutation>> = {
  addColumn: ({ tables }, { a, b }) => {
    const table = choose(tables, a)!
    const types = [
      column('added'),
      column('added', { type: { kind: 'string', length: 20 }, nullable: false, default: { sql: "'none'" } }),
      column('added', { type: { kind: 'timestamp' }, source: { kind: 'timestamp', from: 'commit' } }),
      column('added', { nullable: false, default: { sql: '7' } }),
      column('added', { type: { kind: 'array', of: { kind: 'int64' } } }),
      column('added', { generated: { expression: `${b % 5} + 1`, stored: true } }),
      column('added', { source: { kind: 'bit-reversed', from: 'identity' }, nullable: false }),
    ]
    table.columns.splice(b % (table.columns.length + 1), 0, choose(types, b)!)
  },
  addGenerated: ({ tables }, { a, dialect }) => {
    const table = choose(tables, a)!
    if (!table.columns.some(({ property }) => property === 'plain')) return
    // The PostgreSQL dialect does not support a generated column that reads a generated column.
    const source = dialect.name === 'googlesql' ? 'once' : 'plain'
    table.columns.unshift(
      column('twice', { generated: { expression: `${source} + 1`, stored: true } }),
      column('once', { generated: { expression: 'plain + 3', stored: true } }),
    )
  },
  addNotNull: ({ tables }, { a, b }) => {
    if (b % 3 === 0) choose(tables, a)!.columns.push(column('required', { nullable: false }))
  },
  dropColumn: (schema, { a, b }) => {
    const table = choose(schema.tables, a)!
    const chosen = choose(
      table.columns.filter((each) => !isKey(table, each) && each.property !== 'plain'),
      b,
    )
    if (!chosen) return
    const readers = table.columns.filter(({ generated }) =>
      JSON.stringify(generated?.expression ?? '').includes(chosen.property),
    )
    for (const { property } of [chosen, ...readers]) forget(schema, table, property)
  },
  nullable: onPlainColumn(
    ({ source, type }) => !source && type.kind !== 'array',
    (each) => {
      each.nullable = !each.nullable
    },
  ),
  length: onPlainColumn(isText, (each, { b }) => {
    each.type = { kind: each.type.kind as 'string', length: b % 2 === 0 ? 'max' : 30 + b }
  }),
  textAndBytes: onPlainColumn(isText, (each) => {
    each.type = { kind: each.type.kind === 'bytes' ? 'string' : 'bytes', length: 'max' }
    delete each.default
  }),
  otherType: onPlainColumn(
    ({ type, source }) => type.kind === 'bool' && !source,
    (each, { b }) => {
      if (b % 3 === 0) each.type = { kind: 'date' }
    },
  ),
  default: onPlainColumn(
    ({ type, source }) => type.kind === 'int64' && !source,
    (each, { b }) => {
      if (b % 3 === 0) delete each.default
      else each.default = b % 2 === 0 ? { sql: `${b} + 2` } : { value: String(-b) }
    },
  ),
  commits: onPlainColumn(
    ({ type, default: defaultValue }) => type.kind === 'timestamp' && defaultValue === undefined,
    (each, { b }) => {
      if (each.source && b % 2 === 0) delete each.source
      else each.source = { kind: 'timestamp', from: b % 3 === 0 ? 'now' : 'commit' }
    },
  ),
  addIndex: ({ tables }, { a, b }) => {
    const table = choose(tables, a)!
    const parts = table.columns.filter(
      ({ type, generated }) => ['int64', 'string', 'date', 'bool'].includes(type.kind) && !generated,
    )
    const part = choose(parts, b)
    if (!part) return
    const namespace = table.name.includes('.') ? 'ns.' : ''
    table.indexes.push({
      name: `${namespace}Added${table.name.replace('.', '')}`,
      parts: [{ property: part.property, order: b % 2 === 0 ? 'asc' : 'desc' }],
      unique: b % 3 === 0,
      nullFiltered: b % 5 === 0,
      notNull: [],
      storing: [],
    })
  },
  dropIndex: ({ tables }, { a, b }) => {
    const table = choose(tables, a)!
    table.indexes.splice(b % Math.max(1, table.indexes.length), 1)
  },
  changeIndex: ({ tables }, { a, b }) => {
    const table = choose(
      tables.filter(({ indexes }) => indexes.length > 0),
      a,
    )
    const index = choose(table?.indexes ?? [], b)
    if (!index) return
    if (b % 3 === 0) index.unique = !index.unique
    else if (b % 3 === 1) index.storing = index.storing.includes('plain') ? [] : ['plain']
    else index.parts[0]!.order = index.parts[0]!.order === 'asc' ? 'desc' : 'asc'
    if (index.parts.some(({ property }) => property === 'plain')) index.storing = []
  },
  check: ({ tables }, { a, b, dialect }) => {
    const table = choose(
      tables.filter(({ columns }) => columns.some(({ property }) => property === 'plain')),
      a,
    )
    if (!table) return
    if (table.checks.length > 0 && b % 2 === 0) table.checks = []
    else {
      table.checks = [
        {
          name: `Check_${table.name.replace('.', '_')}`,
          expression: `${quoted(dialect, 'plain')} > ${b}`,
        },
      ]
    }
  },
  foreignKey: ({ tables }, { a, b }) => {
    const [from, to] = [choose(tables, a)!, choose(tables, b)!]
    const has = (table: DraftTable): boolean => table.columns.some(({ property }) => property === 'plain')
    if (from.foreignKeys.length > 0) {
      const key = from.foreignKeys[0]!
      if (b % 2 === 0) from.foreignKeys = []
      else key.onDelete = key.onDelete === 'cascade' ? 'no action' : 'cascade'
    } else if (has(from) && has(to)) {
      from.foreignKeys.push({
        name: `Key_${from.name.replace('.', '_')}`,
        columns: ['plain'],
        table: to.name,
        references: ['plain'],
        onDelete: b % 3 === 0 ? 'cascade' : 'no action',
      })
    }
  },
  onDelete: ({ tables }, { a }) => {
    const child = choose(
      tables.filter(({ parent }) => parent),
      a,
    )
    if (child) child.parent!.onDelete = child.parent!.onDelete === 'cascade' ? 'no action' : 'cascade'
  },
  rowDeletion: ({ tables }, { a, b }) => {
    const table = choose(
      tables.filter(({ columns }) => columns.some(({ property }) => property === 'stamp')),
      a,
    )
    if (!table) return
    if (table.rowDeletion && b % 2 === 0) delete table.rowDeletion
    else table.rowDeletion = { property: 'stamp', days: 1 + b }
  },
  addTable: ({ tables }, { a }) => {
    if (tables.some(({ name }) => name === 'Fresh')) return
    const to = tables.find(({ columns }) => columns.some(({ property }) => property === 'plain'))
    tables.push({
      name: 'Fresh',
      columns: [column('id', { nullable: false }), column('refers')],
      primaryKey: [{ property: 'id', order: 'asc' }],
      indexes: [],
      checks: [{ name: 'FreshCheck', expression: 'refers > 0' }],
      foreignKeys:
        to && a % 2 === 0
          ? [
              {
                name: 'FreshKey',
                columns: ['refers'],
                table: to.name,
                references: ['plain'],
                onDelete: 'no action',
              },
            ]
          : [],
      suppressions: [],
    })
  },
  addChild: ({ tables }, { a, b }) => {
    const parent = choose(tables, a)!
    if (tables.some(({ name }) => name === `${parent.name}Leaf`)) return
    const key = parent.primaryKey.map(({ property }) =>
      parent.columns.find((each) => each.property === property)!,
    )
    tables.push({
      name: `${parent.name}Leaf`,
      columns: [
        ...key.map((each) => {
          const rest = structuredClone(each)
          delete rest.default
          delete rest.generated
          return { ...rest, inherited: true }
        }),
        column('leaf', { nullable: false }),
      ],
      primaryKey: [...structuredClone(parent.primaryKey), { property: 'leaf', order: 'asc' }],
      parent: { table: parent.name, onDelete: b % 2 === 0 ? 'cascade' : 'no action' },
      indexes: [],
      checks: [],
      foreignKeys: [],
      suppressions: [],
    })
  },
  dropTable: (schema, { a }) => {
    const { tables, views } = schema
    if (tables.length < 2) return
    const gone = choose(tables, a)!
    const names = new Set([gone.name])
    for (const { name, parent } of tables) if (parent && names.has(parent.table)) names.add(name)
    if (names.size === tables.length) return
    schema.tables = tables.filter(({ name }) => !names.has(name))
    for (const table of schema.tables)
      table.foreignKeys = table.foreignKeys.filter((key) => !names.has(key.table))
    if (views.length > 0) schema.views = []
    for (const stream of schema.changeStreams)
      if (stream.watch !== 'all') stream.watch = stream.watch.filter(({ table }) => !names.has(table))
  },
  sequence: (schema, { a, b, dialect }) => {
    const free = schema.sequences.filter(({ name }) => !name.includes('k'))
    const sequence = choose(free, a)
    if (!sequence) schema.sequences.push({ name: 'Later', startCounter: '9' })
    else if (b % 3 === 0) schema.sequences.splice(schema.sequences.indexOf(sequence), 1)
    else {
      sequence.startCounter = String(b + 1)
      if (sequence.skipRange && b % 2 === 0 && dialect.name === 'googlesql') delete sequence.skipRange
      else sequence.skipRange = ['5', String(5 + b)]
    }
  },
  view: (schema, { a, b, dialect }) => {
    const { tables, views } = schema
    const table = choose(
      tables.filter(({ columns }) => columns.some(({ property }) => property === 'plain')),
      a,
    )
    if (!table) return
    const chosen = choose(table.columns, b)!
    const query = `SELECT t.${quoted(dialect, chosen.name)} AS x FROM ${quoted(dialect, table.name)} AS t`
    const simple = chosen.type.kind !== 'uuid' || chosen.type.storage !== 'int64-pair'
    if (views.length > 1) schema.views = b % 2 === 0 ? [] : views.slice(0, 1)
    else if (simple && views.length === 1 && sqlFor(views[0]!.query, dialect.name) !== query)
      schema.views = [{ ...views[0]!, query }]
    else if (simple) schema.views = [{ name: 'Seen', query, security: 'invoker' }]
  },
  changeStream: (schema, { a, b }) => {
    const [stream] = schema.changeStreams
    const table = choose(schema.tables, a)!
    const watch = [{ table: table.name, columns: b % 2 === 0 ? ('all' as const) : columnsToWatch(table) }]
    if (!stream) schema.changeStreams.push({ name: 'Watch', watch, options: { retention_period: '2d' } })
    else if (b % 4 === 0) schema.changeStreams = []
    else if (b % 4 === 1) stream.options = { ...stream.options, value_capture_type: 'NEW_VALUES' }
    else stream.watch = b % 4 === 2 ? 'all' : watch
  },
  namespace: (schema, { b }) => {
    if (schema.namespaces.includes('later'))
      schema.namespaces = schema.namespaces.filter((name) => name !== 'later')
    else if (b % 2 === 0) schema.namespaces.push('later')
    else schema.namespaces = schema.namespaces.filter((name) => name !== 'empty')
  },
  key: ({ tables }, { a, b }) => {
    const table = choose(tables, a)!
    if (b % 4 === 0) table.primaryKey = table.primaryKey.toReversed()
  },
}

function columnsToWatch(table: DraftTable): string[] {
  return plainColumns(table)
    .slice(0, 2)
    .map(({ property }) => property)
}

const step = fc.record({
  kind: fc.constantFrom(...Object.keys(mutations)),
  a: fc.nat(60),
  b: fc.nat(60),
})

/** The schema after one to five changes. */
export function mutated(schema: Schema, dialect: SqlDialect): fc.Arbitrary<Schema> {
  return fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) =>
    steps.reduce<Schema>((from, { kind, a, b }) => {
      const draft = structuredClone(from) as Draft<Schema>
      mutations[kind]!(draft, { dialect, a, b })
      return validateSchema(draft as Schema).length === 0 ? (draft as Schema) : from
    }, schema),
  )
}
