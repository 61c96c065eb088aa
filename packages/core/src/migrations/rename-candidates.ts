import { dialectNamed } from '../dialects/registry.js'
import type { Schema } from '../model/schema.js'
import { namespaceOf } from '../model/schema.js'
import { keyspaceOf } from './cql/physical-tables.js'
import { keyRenameCandidates } from './cql/rename-candidates.js'
import { defined, keyColumns, kindOf } from './diff/column-facts.js'
import { folded, matched } from './names.js'
import type { DiffOptions } from './diff-schemas.js'
import { laidOut, physicalSchema, type LaidColumn, type PhysicalTable } from './physical-schema.js'
import type { RenameCandidate } from './renames.js'

export type { RenameCandidate } from './renames.js'

/** Less than this is not worth a question. */
const LEAST_LIKENESS = 0.5

/**
 * Tables and columns that may have got another name: one vanished and another of the same shape appeared. The most likely
 * come first; whoever declares the models knows which it is.
 *
 * Columns are looked for in tables that keep their names: ask for the columns of a table that was renamed once it was.
 *
 * @example
 * renameCandidates(snapshot, schema, { dialect: 'googlesql' })
 * // [{ kind: 'column', table: 'Customer', from: 'email', to: 'mail', likeness: 0.8 }]
 */
export function renameCandidates(
  from: Schema,
  to: Schema,
  { dialect: name, target }: Pick<DiffOptions, 'dialect' | 'target'>,
): RenameCandidate[] {
  const dialect = dialectNamed(name, target)
  const laid = [from, to].map((schema) => laidOut(schema, dialect))
  if (dialect.cql) return keyRenameCandidates(keyspaceOf(laid[0]!), keyspaceOf(laid[1]!))
  const [before, after] = laid.map((each) => physicalSchema(each, dialect))
  const { both, gone, added } = matched(before!.tables, after!.tables)
  const candidates = [
    ...gone.flatMap((old) => added.flatMap((table) => tableCandidate(old, table))),
    ...both.flatMap((tables) => columnCandidates(tables.from, tables.to)),
  ]
  return candidates
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
}

/** The same key, and as many columns as possible that are the same. */
function tableCandidate(from: PhysicalTable, to: PhysicalTable): RenameCandidate[] {
  if (keyShape(from) !== keyShape(to) || namespaceOf(from.name) !== namespaceOf(to.name)) return []
  const { both } = matched(from.columns, to.columns)
  const same = both.filter((column) => kindOf(column.from) === kindOf(column.to)).length
  const shared = (2 * same) / (from.columns.length + to.columns.length)
  const likeness = rounded(0.75 * shared + 0.25 * likenessOfNames(from.name, to.name))
  return [{ kind: 'table', from: from.name, to: to.name, likeness }]
}

function keyShape({ key, columns }: PhysicalTable): string {
  return key
    .map(({ column, order }) => `${kindOf(columns.find(({ name }) => name === column)!)} ${order}`)
    .join()
}

/** Columns outside the key that nobody computes. */
function columnCandidates(from: PhysicalTable, to: PhysicalTable): RenameCandidate[] {
  const { gone, added } = matched(from.columns, to.columns)
  const key = keyColumns(from, to)
  const isPlain = ({ name, made }: LaidColumn): boolean =>
    !key.has(folded(name)) && made?.by !== 'generated' && made?.by !== 'identity'
  return gone.filter(isPlain).flatMap((old) =>
    added.filter(isPlain).flatMap((column): RenameCandidate[] => {
      if (kindOf(old) !== kindOf(column)) return []
      const likeness = rounded(
        0.5 + 0.2 * Number(sameDefinition(old, column)) + 0.3 * likenessOfNames(old.name, column.name),
      )
      return [{ kind: 'column', table: to.name, from: old.name, to: column.name, likeness }]
    }),
  )
}

function sameDefinition(one: LaidColumn, other: LaidColumn): boolean {
  const [a, b] = [one, other].map((column) => JSON.stringify({ ...defined(column), name: '' }))
  return a === b
}

/** How many pairs of neighbouring letters two names share, of all that they have. */
function likenessOfNames(one: string, other: string): number {
  const [a, b] = [pairs(one), pairs(other)]
  const shared = a.filter((pair) => b.includes(pair)).length
  return a.length + b.length === 0 ? 0 : Math.min(1, (2 * shared) / (a.length + b.length))
}

function pairs(name: string): string[] {
  const letters = folded(name)
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2))
}

function rounded(likeness: number): number {
  return Math.round(likeness * 100) / 100
}
