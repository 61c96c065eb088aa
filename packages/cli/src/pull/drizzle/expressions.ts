import type { SqlDialect } from '@isotherm/core'
import type { Value, ValueRecord } from '../source-text.js'
import { sqlCode, type Call } from './chain.js'

/** The SQL of a value that models say for one dialect, or for all of them. */
export function expressionOf(value: Value, dialect: SqlDialect): string {
  const text = typeof value === 'object' ? (value as ValueRecord)[dialect] : value
  return typeof text === 'string' ? text : ''
}

export function generatedCalls({ generated, stored }: ValueRecord, dialect: SqlDialect): readonly Call[] {
  if (generated === undefined) return []
  const mode = stored === false ? [{ mode: 'virtual' }] : []
  return [{ name: 'generatedAlwaysAs', args: [sqlCode(expressionOf(generated, dialect)), ...mode] }]
}
