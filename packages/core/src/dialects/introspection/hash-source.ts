import { canBeHashed } from '../../model/column-type.js'
import type { Column } from '../../model/column.js'
import {
  MAX_SHARDS,
  MIN_SHARDS,
  type HashAlgorithm,
  type HashSource,
  type ShardSource,
} from '../../model/key.js'
import type { IntrospectedDialect } from './dialect.js'
import { normalName, sameForm, type NormalForm } from './normal-form.js'

// Isotherm's own hashes are recognised by printing them again: a candidate for each shard count that the text could mean,
// over the columns that it names, in their order.

/** The shard that an expression computes; undefined where it is not the one that Isotherm would have printed. */
export function shardSourceOf(
  expression: string,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): ShardSource | undefined {
  const found = recognised(expression, columns, dialect, ranges, dialect.hashes.shardExpression)
  return found && { kind: 'shard', strategy: 'hash', ...found.as, of: found.of, computedBy: 'database' }
}

const ALGORITHMS: readonly HashAlgorithm[] = ['farm-fingerprint', 'sha256', 'sha512']

/** The whole hash that an expression computes. */
export function hashSourceOf(
  expression: string,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): HashSource | undefined {
  const found = recognised(expression, columns, dialect, () => ALGORITHMS, dialect.hashes.hashExpression)
  return found && { kind: 'hash', algorithm: found.as, of: found.of, computedBy: 'database' }
}

/** What an expression is printed from: properties, and one of the candidates. */
function recognised<Candidate>(
  expression: string,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
  candidates: (form: NormalForm) => readonly Candidate[],
  print: (of: readonly Column[], as: Candidate) => string,
): { of: readonly string[]; as: Candidate } | undefined {
  const form = dialect.normalForm(expression)
  const of = hashedColumns(form, columns, dialect)
  if (of.length === 0) return undefined
  const as = candidates(form).find((each) => sameForm(dialect.normalForm(print(of, each)), form))
  return as === undefined ? undefined : { of: of.map(({ property }) => property), as }
}

/** The columns that an expression names, each once; none where one of them cannot be hashed. */
function hashedColumns(
  form: NormalForm,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): readonly Column[] {
  const byEntry = new Map(columns.map((column) => [normalName(column.name, dialect.name), column]))
  const named = form.flatMap((entry) => byEntry.get(entry) ?? [])
  return named.every(({ type }) => canBeHashed(type)) ? [...new Set(named)] : []
}

/** Every range of shards that the numbers of an expression could mean. */
function ranges(form: NormalForm): Pick<ShardSource, 'shards' | 'first' | 'signed'>[] {
  const numbers = [...new Set(form.flatMap(numberOf))]
  return numbers
    .filter((shards) => shards >= MIN_SHARDS && shards <= MAX_SHARDS)
    .flatMap((shards) => [
      { shards },
      { shards, signed: true as const },
      ...numbers.map((first) => ({ shards, first })),
    ])
}

function numberOf(entry: string): number[] {
  return /^n:-?\d{1,15}$/.test(entry) ? [Number(entry.slice(2))] : []
}
