import { describeType, known } from '@isotherm/core/engine'
import { namespaceOf, type ChangeStream } from '@isotherm/core/tools'
import type { SecondaryIndex } from '@isotherm/core/engine'
import type { ForeignKey } from '@isotherm/core/tools'
import type { PhysicalColumn, TableLayout } from '@isotherm/core/engine'
import { columnsOf, type Layouts } from '@isotherm/core/tools'
import { unsupportedModel } from '@isotherm/core/tools'

// What Spanner refuses in either dialect. The emulator is often less strict, so nothing else would say so before production.

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for what no table has. How many columns it has, and how wide, the linter judges. */
export function refuseTable(layouts: Layouts, layout: TableLayout): void {
  const { table } = layout
  if (table.parent?.required === false && table.parent.onDelete === 'cascade') {
    throw unsupportedModel(
      table.name,
      `does not need a row of its parent ${table.parent.table}, and so cannot be deleted with it.`,
      "Remove onDelete: 'cascade', or let the parent be required.",
    )
  }
  for (const index of table.indexes) refuseIndex(table.name, index)
  for (const key of table.foreignKeys) refuseForeignKey(layouts, layout, key)
  refuseRowDeletion(layouts, layout)
}

function refuseIndex(table: string, { name, shard, interleaveIn }: SecondaryIndex): void {
  if (namespaceOf(name) !== namespaceOf(table)) {
    throw unsupportedModel(
      table,
      `has the index ${name} in another named schema.`,
      'An index is in the named schema of its table.',
    )
  }
  if (shard && interleaveIn !== undefined) {
    throw unsupportedModel(
      table,
      `has the index ${name}, which is interleaved and begins with a shard.`,
      `Remove the shard: the index is spread as ${interleaveIn} is.`,
    )
  }
}

/** Source: https://cloud.google.com/spanner/docs/foreign-keys/overview */
function refuseForeignKey(layouts: Layouts, layout: TableLayout, key: ForeignKey): void {
  const { table } = layout
  const [own, other] = [columnsOf(layout, key.columns), columnsOf(known(layouts, key.table), key.references)]
  for (const column of [...own, ...other]) {
    if (column.type.kind === 'array' || column.type.kind === 'json') {
      throw unsupportedModel(
        table.name,
        `has the foreign key ${key.name} over ${column.name}, of type ${describeType(column.type)}.`,
        'Refer to columns of other types.',
      )
    }
    if (column.made?.by === 'commit-timestamp') {
      throw unsupportedModel(
        table.name,
        `has the foreign key ${key.name} over ${column.name}, a commit timestamp.`,
        'Refer to other columns.',
      )
    }
  }
  if (own.map(shape).join() !== other.map(shape).join()) {
    throw unsupportedModel(
      table.name,
      `has the foreign key ${key.name} between columns that are stored in different ways.`,
      'Give both sides the same storage.',
    )
  }
  if (key.enforced === false && key.onDelete === 'cascade') {
    throw unsupportedModel(
      table.name,
      `has the foreign key ${key.name}, which is not enforced but has onDelete: 'cascade'.`,
      "Remove onDelete: 'cascade', or let it be enforced.",
    )
  }
}

/** A UUID and its text differ only in what the client makes of them. */
function shape({ type }: PhysicalColumn): string {
  return type.kind === 'uuid' ? (type.storage === 'native' ? 'native' : 'string') : type.kind
}

/** Source: https://cloud.google.com/spanner/docs/ttl/working-with-ttl#restrictions */
function refuseRowDeletion(layouts: Layouts, { table }: TableLayout): void {
  if (!table.rowDeletion) return
  const tables = [...layouts.values()].map((layout) => layout.table)
  const deleted = [table.name]
  for (const name of deleted) {
    for (const child of tables) {
      if (child.parent?.table !== name || child.parent.required === false) continue
      if (child.parent.onDelete !== 'cascade') {
        throw unsupportedModel(
          table.name,
          `deletes old rows, and ${child.name} below it would keep them.`,
          `Give ${child.name} onDelete: 'cascade', or remove rowDeletion.`,
        )
      }
      deleted.push(child.name)
    }
    for (const other of tables) {
      const key = other.foreignKeys.find(
        (each) => each.table === name && each.onDelete !== 'cascade' && each.enforced !== false,
      )
      if (!key) continue
      throw unsupportedModel(
        table.name,
        `deletes old rows, and the foreign key ${key.name} of ${other.name} would keep them.`,
        "Give the foreign key onDelete: 'cascade', or remove rowDeletion.",
      )
    }
  }
}

const OPTION = /^[a-z_]+$/

/** Source: https://cloud.google.com/spanner/docs/change-streams */
export function refuseChangeStream(layouts: Layouts, { name, watch, options }: ChangeStream): void {
  if (namespaceOf(name) !== undefined) {
    throw unsupportedModel(name, 'is a change stream in a named schema.', 'Remove the named schema.')
  }
  for (const option of Object.keys(options)) {
    if (!OPTION.test(option))
      throw unsupportedModel(
        name,
        `has the option ${JSON.stringify(option)}.`,
        'Write options as in retention_period.',
      )
  }
  for (const { table, columns } of watch === 'all' ? [] : watch) {
    if (columns === 'all') continue
    const layout = known(layouts, table)
    for (const property of columns) {
      const made = known(layout.byProperty, property).physical[0].made
      if (made?.by !== 'generated') continue
      throw unsupportedModel(
        name,
        `watches ${table}.${property}, which is generated.`,
        'Watch the columns that it is generated from.',
      )
    }
  }
}
