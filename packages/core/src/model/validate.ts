import { SchemaError, type SchemaFinding } from '../errors.js'
import type { Schema } from './schema.js'
import {
  checkColumns,
  checkCounterTable,
  checkCounters,
  checkStaticColumns,
  checkUserTypes,
} from './validate-columns.js'
import { checkConstraints, checkIndexes } from './validate-objects.js'
import { checkParent, checkPartition, checkPrimaryKey, checkSource } from './validate-keys.js'
import { Names, checkIdentifier, checkWords, reportTo } from './validate-names.js'
import { checkArgument, kind } from '../options.js'

// The rules that hold for every engine. The dialect checks the limits of one engine, the linter checks hotspots.

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

/**
 * The columns that draw from sequences: a problem with a sequence that a column brought along is reported for the column.
 */
function sequenceOwners({ tables }: Schema) {
  return tables.flatMap((table) =>
    table.columns.flatMap(({ source, inherited, property }) =>
      !inherited && source?.kind === 'bit-reversed' && source.from === 'sequence'
        ? [{ sequence: source.sequence, table: table.name, column: property }]
        : [],
    ),
  )
}

/** Checks the objects that do not belong to one table. */
function checkObjects(schema: Schema, names: Names, findings: SchemaFinding[]): void {
  for (const namespace of schema.namespaces) {
    const report = reportTo(findings, namespace)
    if (typeof namespace === 'string' && namespace.includes('.')) checkIdentifier(namespace, report)
    else names.claim(namespace, `the named schema ${namespace}`, report)
  }
  const owners = sequenceOwners(schema)
  for (const sequence of schema.sequences) {
    const position = owners.findIndex((owner) => owner.sequence === sequence.name)
    const [owner] = position < 0 ? [] : owners.splice(position, 1)
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

// Schemas that `defineSchema` or introspection has made. Any other may have been put together by hand, or come from a file.
const checked = new WeakSet<Schema>()

export function markChecked(schema: Schema): Schema {
  checked.add(schema)
  return schema
}

/** @throws {SchemaError} with everything that is wrong with a schema that was not checked yet. */
export function checkSchema(schema: Schema): void {
  if (checked.has(schema)) return
  const findings = validateSchema(schema)
  if (findings.length > 0) throw new SchemaError(findings)
  markChecked(schema)
}

const LISTS = ['tables', 'namespaces', 'sequences', 'views', 'changeStreams']
const TABLE_LISTS = ['columns', 'primaryKey', 'indexes', 'checks', 'foreignKeys', 'suppressions']

export const SCHEMA = kind(
  'a schema, which defineSchema, introspect and parseSnapshot make',
  (value) =>
    checked.has(value as Schema) ||
    (hasLists(value, LISTS) &&
      value['version'] === 1 &&
      (value['tables'] ?? []).every(
        (table) => hasLists(table, TABLE_LISTS) && typeof (table as { name?: unknown }).name === 'string',
      )),
)

function hasLists(
  value: unknown,
  names: readonly string[],
): value is Readonly<Record<string, readonly unknown[]>> & { readonly version?: unknown } {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => Array.isArray((value as Readonly<Record<string, unknown>>)[name]))
}

/** @throws {IsothermError} `INVALID_OPTION` for a value that is not a schema. */
export function checkShape(call: string, ...schemas: readonly unknown[]): void {
  for (const schema of schemas) checkArgument(call, 'the schema', SCHEMA, schema)
}
