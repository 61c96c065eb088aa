import type { DdlEffect } from '../../dialects/cql/ddl-effect.js'
import type { WireType } from '../../dialects/wire.js'
import type { Session } from './execute.js'
import { queryRows } from './statements.js'

const TEXT: WireType = { kind: 'string', length: 'max' }
const TABLES = { table: 'tables', type: 'types', index: 'indexes' } as const
const TEXTS: WireType = { kind: 'array', of: TEXT, frozen: true }

/**
 * Whether the catalogue shows what a statement does to it.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/static.html and `DESCRIBE KEYSPACE system_schema`
 */
export async function shows(session: Session, effect: DdlEffect): Promise<boolean> {
  const { keyspace = session.keyspace } = effect
  switch (effect.kind) {
    case 'table':
    case 'type':
    case 'index': {
      const names = await column(session, `${effect.kind}_name`, TABLES[effect.kind], {
        keyspace_name: keyspace,
      })
      return names.includes(effect.name) === effect.there
    }
    case 'columns': {
      const names = await columnNames(session, keyspace, effect.table)
      return effect.columns.every((name) => names.includes(name) === effect.there)
    }
    case 'fields': {
      const names = await fieldNames(session, keyspace, effect.type)
      return effect.fields.every((name) => names.includes(name))
    }
    case 'renamed': {
      const names = await (effect.of === 'table' ? columnNames : fieldNames)(session, keyspace, effect.name)
      return effect.names.every(({ from, to }) => names.includes(to) && !names.includes(from))
    }
  }
}

function columnNames(session: Session, keyspace: string, table: string): Promise<unknown[]> {
  return column(session, 'column_name', 'columns', { keyspace_name: keyspace, table_name: table })
}

async function fieldNames(session: Session, keyspace: string, type: string): Promise<unknown[]> {
  const keys = { keyspace_name: keyspace, type_name: type }
  const [names] = await column(session, 'field_names', 'types', keys, TEXTS)
  return (names as unknown[] | undefined) ?? []
}

/** One column of the rows of the catalogue that have this key. */
export async function column(
  session: Session,
  name: string,
  table: string,
  keys: Readonly<Record<string, string>>,
  type = TEXT,
  catalogue = 'system_schema',
): Promise<unknown[]> {
  const condition = Object.keys(keys).map((key) => `${key} = ?`)
  const statement = {
    text: `SELECT ${name} FROM ${catalogue}.${table} WHERE ${condition.join(' AND ')}`,
    parameters: Object.entries(keys).map(([key, value]) => ({ name: key, type: TEXT, value })),
  }
  const rows = await queryRows(session, statement, [type], {})
  return rows.map(([cell]) => cell)
}
