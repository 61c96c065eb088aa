import { IsothermError } from '../errors.js'

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
