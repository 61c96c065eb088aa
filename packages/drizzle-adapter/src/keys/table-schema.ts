import { known } from '@isotherm/core/adapter'
import { type Schema, type TableSchema, defineSchema } from '@isotherm/core'
import type { Casing, Table } from 'drizzle-orm'
import { kindOf } from '../schema/kinds.js'
import { type TableKind, qualifiedName } from '../table-kind/table-kind.js'
import { keyModel } from '../schema/table-model.js'
import { toSchema } from '../schema/to-schema.js'

/**
 * Isotherm's schema of one table's keys.
 *
 * @throws {SchemaError} where its keys are not those of any table.
 */
export function keySchema(
  table: Table,
  kind: TableKind,
  casing: Casing | undefined,
): TableSchema | undefined {
  const models = new Map<Table, object>()
  const words = kind.wordsFor(casing)
  const setup = { kind, words, modelOf: (other: Table) => known(models, other) }
  for (const each of withParents(table, kind)) models.set(each, keyModel(each, setup))
  const name = qualifiedName(table)
  return defineSchema([...models.values()]).tables.find((each) => each.name === name)
}

/** All that Isotherm knows of one table, its indexes included, and of the tables that it refers to. */
export function tableSchema(table: Table, casing: Casing | undefined): Schema | undefined {
  const kind = kindOf(table)
  return kind && toSchema([...withOthers(table, kind)], casing ? { casing } : {})
}

function withParents(table: Table, kind: TableKind): Table[] {
  const { interleaving } = kind.keyOf(table)
  return interleaving ? [...withParents(interleaving.parent, kind), table] : [table]
}

/** A schema of a table needs the tables that it refers to. */
function withOthers(table: Table, kind: TableKind, found = new Set<Table>()): Set<Table> {
  if (found.has(table)) return found
  found.add(table)
  const { interleaving, foreignKeys, indexes } = kind.declarationsOf(table, kind.wordsFor(undefined))
  const others = [
    interleaving?.parent,
    ...foreignKeys.map((key) => key.foreignTable),
    ...indexes.map((index) => index.interleaveIn),
  ]
  for (const other of others) if (other) withOthers(other, kind, found)
  return found
}
