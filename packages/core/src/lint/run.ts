import { describeFindings, firstPlace, IsothermError } from '../errors.js'
import { findTable, type Schema } from '../model/schema.js'
import { targetOf, type CqlTarget } from '../model/cql-target.js'
import { checkDialect, type DialectName } from '../model/sql-expression.js'
import type { LintException, Table } from '../model/table.js'
import { engineOf } from './engine.js'
import type { Finding, LintStatement, Rule, Severity } from './rule.js'
import { allowFiltering } from './rules/allow-filtering.js'
import { commitTimestampInShard } from './rules/commit-timestamp-in-shard.js'
import { cqlLimits } from './rules/cql-limits.js'
import { generatedKeyRestrictions } from './rules/generated-key-restrictions.js'
import { interleavedIndexAdvice } from './rules/interleaved-index-advice.js'
import { keyLimits } from './rules/key-limits.js'
import { lowCardinalityPartition } from './rules/low-cardinality-partition.js'
import { monotonicFirstKey } from './rules/monotonic-first-key.js'
import { monotonicIndex } from './rules/monotonic-index.js'
import { nullableFirstKey } from './rules/nullable-first-key.js'
import { redundantIndex } from './rules/redundant-index.js'
import { rowTreeSize } from './rules/row-tree-size.js'
import { shardCount } from './rules/shard-count.js'
import { signedShard } from './rules/signed-shard.js'
import { storingAdvice } from './rules/storing-advice.js'
import { timePartition } from './rules/time-partition.js'
import { unboundedPartition } from './rules/unbounded-partition.js'
import { unshardedChildOfHotRoot } from './rules/unsharded-child-of-hot-root.js'
import { unstableShard } from './rules/unstable-shard.js'
import { uselessBitReversal } from './rules/useless-bit-reversal.js'
import { wideColumnInRowTree } from './rules/wide-column-in-row-tree.js'

/** Every rule, in the order in which findings are listed: heat, shards, limits, advice. */
export const rules: readonly Rule[] = [
  monotonicFirstKey,
  monotonicIndex,
  unshardedChildOfHotRoot,
  timePartition,
  lowCardinalityPartition,
  shardCount,
  signedShard,
  unstableShard,
  commitTimestampInShard,
  generatedKeyRestrictions,
  keyLimits,
  cqlLimits,
  rowTreeSize,
  unboundedPartition,
  nullableFirstKey,
  wideColumnInRowTree,
  redundantIndex,
  interleavedIndexAdvice,
  storingAdvice,
  uselessBitReversal,
  allowFiltering,
]

/** The names of the rules, in the same order. */
export const lintRules: readonly string[] = rules.map((rule) => rule.name)

/** Where in the repository each rule has its page. */
const PAGES = 'docs/lint'

export interface LintOptions {
  /** Heat depends on the engine, so it has to be named. */
  readonly dialect: DialectName
  /** Whose CQL; of `cql` alone. Default: `cassandra`. */
  readonly target?: CqlTarget | undefined
  /** Another severity for a rule, by its name. */
  readonly severity?: Readonly<Record<string, Severity>>
  /** What applications and migrations run, to be judged with the tables. Default: nothing. */
  readonly statements?: readonly LintStatement[]
}

/**
 * Everything in a schema that would run hot, that the database would refuse, or that is dearer than it need be.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a dialect or a target that is none, `SCHEMA_INVALID` for an exception from a rule
 * that does not exist, or a severity of one.
 * @example for (const finding of lint(schema, { dialect: 'googlesql' })) console.log(finding.message, finding.fix)
 */
export function lint(schema: Schema, options: LintOptions): Finding[] {
  const { dialect } = options
  checkDialect(dialect)
  const target = targetOf(dialect, options.target)
  const context = { dialect, ...(target && { target }) }
  const own = rules.filter(({ engines }) => engines?.includes(engineOf(dialect)) ?? true)
  const findings: Finding[] = []
  for (const name of Object.keys(options.severity ?? {})) {
    if (rules.some((rule) => rule.name === name)) continue
    throw new IsothermError('SCHEMA_INVALID', `A severity is set for ${name}, which is no rule.`, {
      fix: `The rules are ${rules.map((rule) => rule.name).join(', ')}.`,
    })
  }
  for (const table of schema.tables) {
    for (const exception of table.exceptions) checkException(table, exception)
    for (const rule of own) {
      const severity = options.severity?.[rule.name] ?? rule.severity
      if (severity === 'off') continue
      rule.check(
        table,
        ({ severity: other, ...found }) => {
          if (table.exceptions.some((exception) => isExcepted(exception, rule, found))) return
          findings.push({
            rule: rule.name,
            severity: other ?? severity,
            table: table.name,
            ...found,
            link: `${PAGES}/${rule.name}.md`,
          })
        },
        { schema, ...context },
      )
    }
  }
  for (const statement of options.statements ?? []) {
    for (const rule of own) {
      const severity = options.severity?.[rule.name] ?? rule.severity
      if (severity === 'off') continue
      rule.checkStatement?.(statement, (found) => {
        const exceptions = findTable(schema, found.table)?.exceptions ?? []
        if (exceptions.some((exception) => isExcepted(exception, rule, {}))) return
        findings.push({ rule: rule.name, severity, ...found, link: `${PAGES}/${rule.name}.md` })
      })
    }
  }
  return findings
}

function isExcepted(
  exception: LintException,
  rule: Rule,
  found: { column?: string; index?: string },
): boolean {
  if (exception.rule !== rule.name) return false
  return exception.on === undefined || exception.on === found.index || exception.on === found.column
}

function checkException({ name: table, indexes, columns }: Table, exception: LintException): void {
  if (rules.some((rule) => rule.name === exception.rule)) {
    const { on } = exception
    const known = [...indexes.map((index) => index.name), ...columns.map((column) => column.property)]
    if (on === undefined || known.includes(on)) return
    throw new IsothermError(
      'SCHEMA_INVALID',
      `${table} excepts ${on} from ${exception.rule}, but has no such index or column.`,
      {
        fix: `Name one of ${known.join(', ')}, or leave \`on\` out.`,
        table,
      },
    )
  }
  throw new IsothermError(
    'SCHEMA_INVALID',
    `${table} is excepted from ${exception.rule}, which is no rule.`,
    {
      fix: `The rules are ${rules.map((rule) => rule.name).join(', ')}.`,
      table,
    },
  )
}

/** A schema that would send its writes to one server, or that the database would refuse. */
export class HotspotError extends IsothermError {
  override readonly name = 'HotspotError'
  readonly findings: readonly Finding[]

  constructor(findings: readonly Finding[]) {
    const hot = findings.every((finding) => rules.some((rule) => rule.heat && rule.name === finding.rule))
    const title = hot ? 'The schema would run hot' : 'The schema is not fit for its database'
    super('HOTSPOT', describeFindings(title, findings), {
      fix: 'Where this is meant, say so: except: [{ rule, reason }] in the options of the table.',
      ...firstPlace(findings),
    })
    this.findings = findings
  }
}

/** @throws {HotspotError} with every finding of severity `error`. */
export function refuseHotspots(schema: Schema, options: LintOptions): void {
  const errors = lint(schema, options).filter((finding) => finding.severity === 'error')
  if (errors.length > 0) throw new HotspotError(errors)
}
