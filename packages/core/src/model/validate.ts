import type { SchemaFinding } from '../errors.js'
import type { Schema } from './schema.js'
import { checkColumns } from './validation/columns.js'
import { checkConstraints } from './validation/constraints.js'
import { checkCounterTable } from './validation/counter-tables.js'
import { checkCounters } from './validation/counters.js'
import { checkIndexes } from './validation/indexes.js'
import { checkParent } from './validation/interleaving.js'
import { checkIdentifier, Names } from './validation/names.js'
import { checkPartition } from './validation/partition-key.js'
import { checkPrimaryKey } from './validation/primary-key.js'
import { reportTo } from './validation/report.js'
import { checkSource } from './validation/sources.js'
import { checkStaticColumns } from './validation/static-columns.js'
import { checkUserTypes } from './validation/user-types.js'
import { checkWords } from './validation/words.js'

// What holds for every engine. Limits of one engine are checked by its dialect, heat by the linter.

export function validateSchema(schema: Schema): SchemaFinding[] {
  const findings: SchemaFinding[] = []
  const names = new Names()
  const { tables } = schema
  checkWords(schema, findings)
  for (const table of tables) {
    const report = reportTo(findings, table.name)
    names.claim(table.name, `the table ${table.name}`, report)
    for (const index of table.indexes) names.claim(index.name, `the index ${index.name}`, report)
    checkColumns(table, report)
    checkPrimaryKey(table, report)
    checkParent(table, tables, report)
    checkPartition(table, tables, report)
    checkStaticColumns(table, report)
    checkCounterTable(table, report)
    for (const column of table.columns) checkSource(table, column, report)
    checkIndexes(table, tables, report)
    // Constraints have no named schema of their own, and share their names with everything else.
    for (const { name } of [...table.checks, ...table.foreignKeys]) {
      if (typeof name === 'string' && name.includes('.')) checkIdentifier(name, report)
      else names.claim(name, `the constraint ${name} of ${table.name}`, report)
    }
    checkConstraints(table, tables, report)
  }
  checkObjects(schema, names, findings)
  checkUserTypes(schema, findings)
  return findings
}

/** The columns that draw from sequences: what is wrong with a sequence that one brought along is told of the column. */
function sequenceOwners({ tables }: Schema) {
  return tables.flatMap((table) =>
    table.columns.flatMap(({ source, inherited, property }) =>
      !inherited && source?.kind === 'bit-reversed' && source.from === 'sequence'
        ? [{ sequence: source.sequence, table: table.name, column: property }]
        : [],
    ),
  )
}

/** What is not of one table. */
function checkObjects(schema: Schema, names: Names, findings: SchemaFinding[]): void {
  for (const namespace of schema.namespaces) {
    const report = reportTo(findings, namespace)
    if (typeof namespace === 'string' && namespace.includes('.')) checkIdentifier(namespace, report)
    else names.claim(namespace, `the named schema ${namespace}`, report)
  }
  const owners = sequenceOwners(schema)
  for (const sequence of schema.sequences) {
    const place = owners.findIndex((owner) => owner.sequence === sequence.name)
    const [owner] = place < 0 ? [] : owners.splice(place, 1)
    const report = reportTo(findings, owner?.table ?? sequence.name)
    names.claim(sequence.name, `the sequence ${sequence.name}`, report, owner?.column)
    checkCounters(sequence, report, owner?.column)
  }
  for (const { name } of schema.views) names.claim(name, `the view ${name}`, reportTo(findings, name))
  for (const { name, watch } of schema.changeStreams) {
    const report = reportTo(findings, name)
    names.claim(name, `the change stream ${name}`, report)
    if (watch === 'all') continue
    for (const { table, columns } of watch) {
      const watched = schema.tables.find((each) => each.name === table)
      if (!watched)
        report(`watches ${table}, which is not in this schema.`, 'Pass it to defineSchema as well.')
      if (columns === 'all' || !watched) continue
      for (const property of columns) {
        const column = watched.columns.find((each) => each.property === property)
        if (!column)
          report(`watches ${table}.${property}, which is not a column.`, 'Name a property.', property)
        else if (watched.primaryKey.some((part) => part.property === property))
          report(
            `watches ${table}.${property}, a key part.`,
            'Leave it out: the key is always watched.',
            property,
          )
      }
    }
  }
}
