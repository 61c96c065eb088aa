import { physicalColumns, type Field, type PhysicalColumn, type TableLayout } from '../layout.js'
import { SqlWriter, type SqlSyntax } from '../sql-writer.js'
import type { Selection, Statement, Statements, WireRow } from '../statement.js'
import { COMMIT_TIMESTAMP, type Wire } from '../wire.js'
import { quote } from './identifier.js'

const syntax: SqlSyntax = {
  nulls: 'lowest',
  nan: 'lowest',
  quote,
  parameter: (number) => ({ text: `@p${number}`, name: `p${number}` }),
  isNan: (expression) => `IS_NAN(${expression})`,
  isOneOf: (expression, list) => `${expression} IN UNNEST(${list})`,
  startsWith: (expression, prefix) => `STARTS_WITH(${expression}, ${prefix})`,
}

function write(
  verb: 'INSERT' | 'INSERT OR UPDATE',
  layout: TableLayout,
  columns: readonly PhysicalColumn[],
  rows: readonly WireRow[],
  returning: readonly PhysicalColumn[],
): Statement {
  const writer = new SqlWriter(syntax)
  const values = rows.map((row) => {
    const cells = columns.map(({ type }, at) => {
      const value = row[at]
      if (value === undefined) return 'DEFAULT'
      if (value === COMMIT_TIMESTAMP && type.kind === 'timestamp') return 'PENDING_COMMIT_TIMESTAMP()'
      return writer.parameter(type, value)
    })
    return `(${cells.join(', ')})`
  })
  const then = returning.length > 0 ? ` THEN RETURN ${writer.columns(returning)}` : ''
  return writer.statement(
    `${verb} INTO ${quote(layout.table.name)} (${writer.columns(columns)}) VALUES ${values.join(', ')}${then}`,
  )
}

function whereKey(writer: SqlWriter, layout: TableLayout, key: readonly Wire[]): string {
  return layout.key
    .map(({ column }, at) => {
      const value = key[at]!
      return value === null
        ? `${writer.column(column)} IS NULL`
        : `${writer.column(column)} = ${writer.parameter(column.type, value)}`
    })
    .join(' AND ')
}

/** The WHERE clause of a selection, with the shards left out where another clause sees to them. */
function where(writer: SqlWriter, selection: Selection, shards: readonly number[] | undefined): string {
  const { layout, condition, order, after } = selection
  const parts = [
    ...(shards && layout.shard ? [writer.inShards(layout.shard, shards)] : []),
    ...(condition ? [writer.condition(condition)] : []),
    ...(after ? [writer.after(order, after)] : []),
  ]
  return parts.length === 0 ? '' : ` WHERE ${parts.join(' AND ')}`
}

function tail(writer: SqlWriter, { order, limit }: Selection): string {
  const by = order.length > 0 ? ` ORDER BY ${writer.orderBy(order)}` : ''
  return by + (limit === undefined ? '' : ` LIMIT ${writer.parameter({ kind: 'int64' }, String(limit))}`)
}

export const googleSqlStatements: Statements = {
  insert: (layout, columns, rows, returning) => write('INSERT', layout, columns, rows, returning),

  upsert: (layout, columns, rows) => write('INSERT OR UPDATE', layout, columns, rows, []),

  update(layout, changes, key) {
    const writer = new SqlWriter(syntax)
    const set = changes.map(
      ({ column, value }) => `${writer.column(column)} = ${writer.parameter(column.type, value)}`,
    )
    return writer.statement(
      `UPDATE ${quote(layout.table.name)} SET ${set.join(', ')} WHERE ${whereKey(writer, layout, key)}`,
    )
  },

  delete(layout, key) {
    const writer = new SqlWriter(syntax)
    return writer.statement(`DELETE FROM ${quote(layout.table.name)} WHERE ${whereKey(writer, layout, key)}`)
  },

  get(layout, key) {
    const writer = new SqlWriter(syntax)
    const columns = writer.columns(physicalColumns(layout))
    return writer.statement(
      `SELECT ${columns} FROM ${quote(layout.table.name)} WHERE ${whereKey(writer, layout, key)}`,
    )
  },

  select(selection) {
    const writer = new SqlWriter(syntax)
    const { layout } = selection
    return writer.statement(
      `SELECT ${writer.columns(physicalColumns(layout))} FROM ${quote(layout.table.name)}` +
        where(writer, selection, selection.shards) +
        tail(writer, selection),
    )
  },

  selectPerShard(selection) {
    const { layout, shards } = selection
    if (!layout.shard || !shards) return googleSqlStatements.select(selection)
    const writer = new SqlWriter(syntax)
    const columns = writer.columns(physicalColumns(layout))
    const list = writer.shardList(shards)
    const inner = where(writer, selection, undefined)
    const shard = `${writer.column(layout.shard.physical[0]!)} = _shard`
    const perShard =
      `SELECT AS STRUCT ${columns} FROM ${quote(layout.table.name)}` +
      ` WHERE ${shard}${inner === '' ? '' : ` AND ${inner.slice(' WHERE '.length)}`}${tail(writer, selection)}`
    return writer.statement(
      `SELECT ${columns} FROM UNNEST(${list}) AS _shard, UNNEST(ARRAY(${perShard}))${tail(writer, selection)}`,
    )
  },

  count(selection, groupBy: readonly Field[]) {
    const writer = new SqlWriter(syntax)
    const groups = groupBy.flatMap((field) => field.physical)
    const columns = groups.length === 0 ? '' : `${writer.columns(groups)}, `
    const tailText = groups.length === 0 ? '' : ` GROUP BY ${writer.columns(groups)}`
    return writer.statement(
      `SELECT ${columns}COUNT(*) FROM ${quote(selection.layout.table.name)}` +
        where(writer, selection, selection.shards) +
        tailText,
    )
  },
}
