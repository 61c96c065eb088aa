import { IsothermError } from '@isotherm/core'
import { anything, checkArgument, nearName, plainName, recordOf, shown } from '@isotherm/core/adapter'
import { quoteName } from './literals.js'

// Source: https://cloud.google.com/spanner/docs/reference/standard-sql/query-syntax#hints

/** How a table is read. */
export interface TableHints {
  /** The index to read by; `_BASE_TABLE` for none. */
  readonly forceIndex?: string
  readonly groupbyScanOptimization?: boolean
  readonly scanMethod?: 'AUTO' | 'BATCH' | 'ROW' | 'COLUMNAR' | 'NO_COLUMNAR'
  readonly indexStrategy?: 'FORCE_INDEX_UNION'
  /** How many parts of the index's key are sought by, from 0 to 16; goes with `forceIndex`. */
  readonly seekableKeySize?: number
}

/** How two tables are joined. */
export interface JoinHints {
  readonly joinMethod?: 'HASH_JOIN' | 'APPLY_JOIN' | 'MERGE_JOIN' | 'PUSH_BROADCAST_HASH_JOIN'
  /** Whether the order in which the query names them stands. */
  readonly forceJoinOrder?: boolean
  readonly hashJoinBuildSide?: 'BUILD_LEFT' | 'BUILD_RIGHT'
  readonly batchMode?: boolean
  readonly factorizedMode?: 'FACTORIZE_LEFT' | 'FACTORIZE_RIGHT' | 'FACTORIZE_BOTH'
  readonly hashJoinExecution?: 'MULTI_PASS' | 'ONE_PASS'
}

/** How groups are made. */
export interface GroupHints {
  readonly groupMethod?: 'HASH_GROUP' | 'STREAM_GROUP'
}

/** How a whole statement runs. */
export interface StatementHints {
  readonly useAdditionalParallelism?: boolean
  readonly optimizerVersion?: number | 'latest_version' | 'default_version'
  readonly optimizerStatisticsPackage?: string
  readonly allowDistributedMerge?: boolean
  /** `exclusive` takes the locks of a later write at once; it cannot be combined with `for('update')`. */
  readonly lockScannedRanges?: 'exclusive' | 'shared'
  readonly scanMethod?: 'AUTO' | 'BATCH' | 'ROW' | 'COLUMNAR' | 'NO_COLUMNAR'
  readonly executionMethod?: 'DEFAULT' | 'BATCH' | 'ROW'
  readonly useUnenforcedForeignKey?: boolean
  readonly allowTimestampPredicatePushdown?: boolean
  readonly forceJoinOrder?: boolean
  readonly joinMethod?: JoinHints['joinMethod']
  readonly groupMethod?: GroupHints['groupMethod']
}

/** The object that a hint applies to. */
interface HintsOf {
  readonly table: TableHints
  readonly join: JoinHints
  readonly group: GroupHints
  readonly statement: StatementHints
}

interface HintValue {
  /** The allowed values, in words that follow "Give": `true or false`. */
  readonly expected: string
  /** The text of a value; undefined for an invalid one. */
  textOf(value: unknown): string | undefined
}

const flag: HintValue = {
  expected: 'true or false',
  textOf: (value) => (typeof value === 'boolean' ? String(value).toUpperCase() : undefined),
}

const oneOf = (...words: readonly string[]): HintValue => ({
  expected: words.map((word) => shown(word)).join(' or '),
  textOf: (value) => words.find((word) => word === value),
})

const integer = (min: number, max: number): HintValue => ({
  expected: `a whole number from ${min} to ${max}`,
  textOf: (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? String(value) : undefined,
})

const word: HintValue = {
  expected: 'a name of letters, digits and _',
  textOf: (value) => (typeof value === 'string' && /^\w+$/.test(value) ? value : undefined),
}

const anyOf = (...values: readonly HintValue[]): HintValue => ({
  expected: values.map(({ expected }) => expected).join(' or '),
  textOf: (value) => values.map((each) => each.textOf(value)).find((text) => text !== undefined),
})

const index: HintValue = {
  expected: 'the name of an index',
  textOf: (value) =>
    typeof value === 'string' ? plainName(value).split('.').map(quoteName).join('.') : undefined,
}

const scanMethod = oneOf('AUTO', 'BATCH', 'ROW', 'COLUMNAR', 'NO_COLUMNAR')
const joinMethod = oneOf('HASH_JOIN', 'APPLY_JOIN', 'MERGE_JOIN', 'PUSH_BROADCAST_HASH_JOIN')
const groupMethod = oneOf('HASH_GROUP', 'STREAM_GROUP')

/** Every hint that there is. Hints are text of a statement: neither a name nor a value gets there by another way. */
const HINTS: { readonly [About in keyof HintsOf]: Readonly<Record<keyof HintsOf[About], HintValue>> } = {
  table: {
    forceIndex: anyOf(oneOf('_BASE_TABLE'), index),
    groupbyScanOptimization: flag,
    scanMethod,
    indexStrategy: oneOf('FORCE_INDEX_UNION'),
    seekableKeySize: integer(0, 16),
  },
  join: {
    joinMethod,
    forceJoinOrder: flag,
    hashJoinBuildSide: oneOf('BUILD_LEFT', 'BUILD_RIGHT'),
    batchMode: flag,
    factorizedMode: oneOf('FACTORIZE_LEFT', 'FACTORIZE_RIGHT', 'FACTORIZE_BOTH'),
    hashJoinExecution: oneOf('MULTI_PASS', 'ONE_PASS'),
  },
  group: { groupMethod },
  statement: {
    useAdditionalParallelism: flag,
    optimizerVersion: anyOf(integer(1, 1_000_000), oneOf('latest_version', 'default_version')),
    optimizerStatisticsPackage: word,
    allowDistributedMerge: flag,
    lockScannedRanges: oneOf('exclusive', 'shared'),
    scanMethod,
    executionMethod: oneOf('DEFAULT', 'BATCH', 'ROW'),
    useUnenforcedForeignKey: flag,
    allowTimestampPredicatePushdown: flag,
    forceJoinOrder: flag,
    joinMethod,
    groupMethod,
  },
}

/** How each kind is called: `select.hint(…)`. */
const CALLS: Readonly<Record<keyof HintsOf, string>> = {
  table: 'hint',
  join: 'joinHint',
  group: 'groupHint',
  statement: 'statementHint',
}

/**
 * Hints as text: `@{FORCE_INDEX=…}`.
 *
 * @param before the hints that an earlier call has given for the same object
 * @throws {IsothermError} `INVALID_OPTION` for a value that is not an object, `INVALID_VALUE` for an unknown hint and for
 * an invalid value of a hint, `INVALID_QUERY` if there are earlier hints.
 */
export function hintText<About extends keyof HintsOf>(
  about: About,
  hints: HintsOf[About],
  before: string | undefined,
): string {
  const call = CALLS[about]
  checkArgument(call, 'hints', recordOf(anything), hints)
  if (before) {
    throw new IsothermError('INVALID_QUERY', `The ${about} has the hints ${before} already.`, {
      fix: `Give all of them in one call of ${call}.`,
    })
  }
  const kinds = new Map<string, HintValue>(Object.entries(HINTS[about]))
  const parts = Object.entries(hints).flatMap(([name, value]) => {
    const kind = kinds.get(name)
    if (!kind) throw unknownHint(about, name)
    if (value === undefined) return []
    const text = kind.textOf(value)
    if (text === undefined) throw invalidValue(name, value, kind)
    return [`${name.replace(/[A-Z]/g, '_$&').toUpperCase()}=${text}`]
  })
  return parts.length === 0 ? '' : `@{${parts.join(', ')}}`
}

function unknownHint(about: keyof HintsOf, name: string): IsothermError {
  const names = Object.keys(HINTS[about])
  const other = Object.entries(HINTS).find(([, hints]) => Object.hasOwn(hints, name))
  const near = nearName(name, names)
  const advice = other ? `It is a ${other[0]} hint. ` : near === undefined ? '' : `Did you mean ${near}? `
  return new IsothermError('INVALID_VALUE', `There is no ${about} hint ${JSON.stringify(name)}.`, {
    fix: `${advice}Use one of ${names.join(', ')}.`,
  })
}

function invalidValue(name: string, value: unknown, { expected }: HintValue): IsothermError {
  return new IsothermError('INVALID_VALUE', `The value of the hint ${name} is ${shown(value)}.`, {
    fix: `Give ${expected}.`,
  })
}
