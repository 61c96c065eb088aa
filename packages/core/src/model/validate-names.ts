import type { SchemaFinding } from '../errors.js'
import type { Table } from './table.js'
import { MAX_NAME } from './generated.js'
import { BUCKET_SIZES } from '../keys/time-bucket.js'
import { type ColumnType, TYPE_KINDS, typesWithin } from './column-type.js'
import type { Schema } from './schema.js'

/** Takes down one thing that is wrong with a table. */
export type Report = (message: string, fix: string, column?: string) => void

export function reportTo(findings: SchemaFinding[], table: string): Report {
  return (message, fix, column) => {
    findings.push({ table, message, fix, ...(column !== undefined && { column }) })
  }
}

export function propertiesOf(table: Table): string {
  return table.columns.map((column) => column.property).join(', ')
}

export const NAMES_DIFFER = 'names differ by more than upper and lower case.'

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/

/** Tables, indexes, sequences and views share one name space, in which upper and lower case are the same. */
export class Names {
  readonly #owners = new Map<string, string>()

  claim(name: string, owner: string, report: Report, column?: string): void {
    checkQualified(name, report, column)
    // A name that is not text has been reported already.
    if (typeof name !== 'string') return
    const folded = name.toLowerCase()
    const other = this.#owners.get(folded)
    if (other === undefined) this.#owners.set(folded, owner)
    else report(`has the same name as ${other}.`, `Rename ${owner}: ${NAMES_DIFFER}`, column)
  }
}

/** A name that may be in a named schema: `sales.Order`. */
function checkQualified(name: string, report: Report, column?: string): void {
  const parts = typeof name === 'string' ? name.split('.') : [name]
  if (parts.length > 2) {
    report(
      `has the name ${JSON.stringify(name.slice(0, 140))}, which contains more than one dot.`,
      "One dot separates the named schema from the name: 'sales.Order'.",
      column,
    )
    return
  }
  for (const part of parts) checkIdentifier(part, report, column)
}

/** A caller without a compiler may pass anything. */
function shown(name: unknown): string {
  return String(name).slice(0, 140)
}

export function checkIdentifier(name: string, report: Report, column?: string): void {
  if (typeof name === 'string' && name.length <= MAX_NAME && IDENTIFIER.test(name)) return
  report(
    `has the name ${JSON.stringify(shown(name))}, which some databases do not support.`,
    `A name starts with a letter and has up to ${MAX_NAME} letters, digits and underscores.`,
    column,
  )
}

// Words of a schema that only the compiler has seen to: a schema may come from JavaScript, or from a file.

const WORDS = {
  onDelete: ['cascade', 'no action'],
  order: ['asc', 'desc'],
  nulls: ['first', 'last'],
  security: ['invoker', 'definer'],
  storage: ['text', 'int64-pair', 'bytes', 'native'],
  as: ['bigint', 'number'],
  strategy: ['hash', 'random', 'round-robin'],
  computedBy: ['database', 'client'],
  algorithm: ['farm-fingerprint', 'sha256', 'sha512'],
  kind: TYPE_KINDS,
  rows: ['own'],
  by: BUCKET_SIZES,
  source: ['shard', 'hash', 'uuid-v4', 'timeuuid', 'bit-reversed', 'sequential', 'timestamp', 'time-bucket'],
} as const satisfies Record<string, readonly string[]>

type Word = keyof typeof WORDS

function check(word: Word, value: unknown, report: Report, column?: string): void {
  if (value === undefined || (WORDS[word] as readonly unknown[]).includes(value)) return
  report(
    `has ${(JSON.stringify(value) ?? 'nothing').slice(0, 140)} for ${word}.`,
    `Use one of ${WORDS[word].join(', ')}.`,
    column,
  )
}

function checkTypeWords(type: ColumnType, report: Report, column: string): void {
  for (const each of typesWithin(type)) {
    check('kind', each.kind, report, column)
    if (each.kind === 'uuid') check('storage', each.storage, report, column)
    if (each.kind === 'int64') check('as', each.as, report, column)
  }
}

export function checkWords(schema: Schema, findings: SchemaFinding[]): void {
  for (const table of schema.tables) {
    const report = reportTo(findings, table.name)
    check('onDelete', table.parent?.onDelete, report)
    check('rows', table.rows, report)
    for (const key of table.foreignKeys) check('onDelete', key.onDelete, report)
    for (const { order, property } of table.primaryKey) check('order', order, report, property)
    for (const { parts } of table.indexes) {
      for (const { order, nulls, property } of parts) {
        check('order', order, report, property)
        check('nulls', nulls, report, property)
      }
    }
    for (const { type, source, property } of table.columns) {
      checkTypeWords(type, report, property)
      if (!source) continue
      check('source', source.kind, report, property)
      if (source.kind === 'shard') check('strategy', source.strategy, report, property)
      if (source.kind === 'shard' || source.kind === 'hash')
        check('computedBy', source.computedBy, report, property)
      if (source.kind === 'time-bucket') check('by', source.by, report, property)
      if (source.kind === 'hash') check('algorithm', source.algorithm, report, property)
    }
  }
  for (const { name, fields } of schema.userTypes ?? []) {
    const report = reportTo(findings, name)
    for (const field of fields) checkTypeWords(field.type, report, field.name)
  }
  for (const view of schema.views) check('security', view.security, reportTo(findings, view.name))
}
