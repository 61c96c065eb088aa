import { IsothermError } from '../errors.js'
import type { DialectName } from './sql-expression.js'

const CQL_TARGETS = ['cassandra', 'keyspaces'] as const

/** Whose CQL: a target has its own limits, and leaves some of the language out. */
export type CqlTarget = (typeof CQL_TARGETS)[number]

/** @throws {IsothermError} `UNSUPPORTED` for a name that is no target. */
export function checkTarget(name: string): asserts name is CqlTarget {
  if ((CQL_TARGETS as readonly string[]).includes(name)) return
  throw new IsothermError('UNSUPPORTED', `${JSON.stringify(name)} is not a target of cql.`, {
    fix: `Use one of ${CQL_TARGETS.join(', ')}.`,
  })
}

/**
 * The target of a dialect, where one may be given: undefined for a dialect that has none.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a name that is no target, or one that is given for another dialect than `cql`.
 */
export function targetOf(dialect: DialectName, target: CqlTarget | undefined): CqlTarget | undefined {
  if (dialect === 'cql') {
    checkTarget(target ?? 'cassandra')
    return target ?? 'cassandra'
  }
  if (target === undefined) return undefined
  throw new IsothermError('UNSUPPORTED', `${dialect} has no target, and ${target} is given as one.`, {
    fix: 'Leave the target out: it is of cql alone.',
  })
}
