import { IsothermError } from '@isotherm/core'
import { quoteName } from '../literals.js'

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
  /** `exclusive` takes the locks of a later write at once; it may not stand beside `for('update')`. */
  readonly lockScannedRanges?: 'exclusive' | 'shared'
  readonly scanMethod?: 'AUTO' | 'BATCH' | 'ROW' | 'COLUMNAR' | 'NO_COLUMNAR'
  readonly executionMethod?: 'DEFAULT' | 'BATCH' | 'ROW'
  readonly useUnenforcedForeignKey?: boolean
  readonly allowTimestampPredicatePushdown?: boolean
  readonly forceJoinOrder?: boolean
  readonly joinMethod?: JoinHints['joinMethod']
  readonly groupMethod?: GroupHints['groupMethod']
}

type Hints = TableHints | JoinHints | GroupHints | StatementHints

/**
 * Hints as text: `@{FORCE_INDEX=…}`.
 *
 * @throws {IsothermError} `INVALID_VALUE` for a value that cannot be a hint's.
 */
export function hintText(hints: Hints): string {
  const parts = Object.entries(hints).flatMap(([name, value]) =>
    value === undefined ? [] : [`${hintName(name)}=${hintValue(name, value)}`],
  )
  return parts.length === 0 ? '' : `@{${parts.join(', ')}}`
}

function hintName(property: string): string {
  return property.replace(/[A-Z]/g, '_$&').toUpperCase()
}

function hintValue(name: string, value: unknown): string {
  if (typeof value === 'boolean') return String(value).toUpperCase()
  const text = String(value)
  if (name === 'forceIndex') {
    return text === '_BASE_TABLE' ? text : text.split('.').map(quoteName).join('.')
  }
  if (/^\w+$/.test(text)) return text
  throw new IsothermError(
    'INVALID_VALUE',
    `${JSON.stringify(text)} cannot be the value of the hint ${name}.`,
    {
      fix: 'Take one of those that the documentation of Spanner lists.',
    },
  )
}
