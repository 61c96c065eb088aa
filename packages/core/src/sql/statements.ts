import { paired, present } from '../known.js'
import { type PhysicalColumn, type TableLayout, type Wire, physicalColumns } from '../layout/layout.js'
import { ROW, type SqlSyntax, SqlWriter, groupExpression, measureExpression } from './writer.js'
import type { Selection, ShardSelection, Statements, WireRow } from '../layout/statement.js'

// The statements that SQL dialects write in the same way, given their syntax.

type CommonStatements = Pick<
  Statements,
  'insert' | 'update' | 'delete' | 'getLocked' | 'sequenceNumbers' | 'select' | 'aggregate' | 'hasExtremes'
>

export function commonStatements(syntax: SqlSyntax): CommonStatements {
  const nameOf = ({ table }: TableLayout): string => syntax.quote(table.name)
  return {
    insert(layout, columns, rows, returning) {
      const writer = new SqlWriter(syntax)
      const insert = `INSERT ${insertInto(writer, syntax, layout, columns, rows)}`
      return writer.statement(
        returning.length > 0
          ? `${insert} ${syntax.returning} ${writer.of(layout).columns(returning)}`
          : insert,
      )
    },

    update(layout, changes, key, found = []) {
      const writer = new SqlWriter(syntax).of(layout)
      const set = changes.map(
        ({ column, value }) => `${writer.column(column)} = ${writer.value(column.type, value)}`,
      )
      return writer.statement(
        `UPDATE ${nameOf(layout)} SET ${set.join(', ')} WHERE ${[
          whereKey(writer, layout, key),
          ...found.map(({ column, value }) => writer.same(column, value)),
        ].join(' AND ')}`,
      )
    },

    delete(layout, key) {
      const writer = new SqlWriter(syntax).of(layout)
      return writer.statement(`DELETE FROM ${nameOf(layout)} WHERE ${whereKey(writer, layout, key)}`)
    },

    getLocked(layout, key) {
      const writer = new SqlWriter(syntax).from(layout)
      const columns = writer.columns(physicalColumns(layout))
      const from = source(syntax, { layout, order: [] })
      return writer.statement(
        `${syntax.lockRows}SELECT ${columns} FROM ${from} WHERE ${whereKey(writer, layout, key)}`,
      )
    },

    sequenceNumbers(sequence, count) {
      const writer = new SqlWriter(syntax)
      return writer.statement(
        syntax.sequenceNumbers(sequence, count, (type, value) => writer.parameter(type, value)),
      )
    },

    select(selection) {
      const writer = new SqlWriter(syntax).from(selection.layout)
      return writer.statement(
        `SELECT ${writer.columns(physicalColumns(selection.layout))} FROM ${source(syntax, selection)}` +
          where(writer, selection) +
          tail(writer, selection),
      )
    },

    aggregate({ rows, groups, measures, having, order, limit }) {
      const writer = new SqlWriter(syntax)
      const inside = writer.from(rows.layout)
      const keys = groups.map((group) => groupExpression(syntax, inside, group))
      const computed = measures.map((measure) => measureExpression(syntax, inside, measure))
      const results = [...groups, ...measures].map(({ as }) => as)
      const columns = paired([...keys, ...computed], results).map(
        ([each, result]) => `${each} AS ${writer.column(result)}`,
      )
      const by = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`
      const grouped = `SELECT ${columns.join(', ')} FROM ${source(syntax, rows)}` + where(inside, rows) + by
      if (!having && order.length === 0 && limit === undefined) return writer.statement(grouped)
      // From outside the computed columns are like any others: compared, and ordered, in the same way.
      const filter = having ? ` WHERE ${writer.condition(having)}` : ''
      const cut = tail(writer, { layout: rows.layout, order, ...(limit !== undefined && { limit }) })
      return writer.statement(`SELECT ${writer.columns(results)} FROM (${grouped}) AS _groups${filter}${cut}`)
    },

    hasExtremes: (type) => syntax.hasExtremes(type),
  }
}

/** The head of an INSERT: `INTO table (columns) VALUES (…), (…)`. */
export function insertInto(
  writer: SqlWriter,
  syntax: SqlSyntax,
  layout: TableLayout,
  columns: readonly PhysicalColumn[],
  rows: readonly WireRow[],
): string {
  const values = rows.map((row) => {
    const cells = columns.map(({ type }, at) => {
      const value = row[at]
      return value === undefined ? 'DEFAULT' : writer.value(type, value)
    })
    return `(${cells.join(', ')})`
  })
  return `INTO ${syntax.quote(layout.table.name)} (${writer.columns(columns)}) VALUES ${values.join(', ')}`
}

/** The table, by the index that was asked for. */
export function source(syntax: SqlSyntax, { layout, index }: Selection): string {
  const table = syntax.quote(layout.table.name)
  const hinted = index ? table + syntax.forceIndex(index.index.name) : table
  return syntax.needsQualifier?.(layout) ? `${hinted} AS ${ROW}` : hinted
}

function whereKey(writer: SqlWriter, layout: TableLayout, key: readonly Wire[]): string {
  return paired(layout.key, key)
    .map(([{ column }, wire]) => writer.same(column, wire))
    .join(' AND ')
}

/** The column that tells shards apart, of a selection that has them. */
export function shardColumn({ layout, index }: ShardSelection): PhysicalColumn {
  return present((index ?? layout).shard, 'shard of the table or index').physical[0]
}

function where(writer: SqlWriter, selection: Selection): string {
  const { layout, index, shards } = selection
  const { shard } = index ?? layout
  const parts = [
    ...(shards && shard ? [writer.inShards(shard, shards)] : []),
    ...conditions(writer, selection),
  ]
  return parts.length === 0 ? '' : ` WHERE ${parts.join(' AND ')}`
}

/** The conditions of a selection on its rows, without those on their shards. */
export function conditions(writer: SqlWriter, { condition, order, after }: Selection): readonly string[] {
  return [...(condition ? [writer.condition(condition)] : []), ...(after ? [writer.after(order, after)] : [])]
}

/** @param hasMirrors as in `orderBy` */
export function tail(writer: SqlWriter, { order, limit }: Selection, hasMirrors = true): string {
  const by = order.length > 0 ? ` ORDER BY ${writer.orderBy(order, hasMirrors)}` : ''
  return by + (limit === undefined ? '' : ` LIMIT ${writer.parameter({ kind: 'int64' }, String(limit))}`)
}
