import type { Schema } from '../schema.js'
import { reportTo, type Report } from './report.js'
import type { SchemaFinding } from '../../errors.js'

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
  kind: [
    'bool',
    'int64',
    'float32',
    'float64',
    'numeric',
    'string',
    'bytes',
    'date',
    'timestamp',
    'json',
    'uuid',
    'array',
  ],
  source: ['shard', 'hash', 'uuid-v4', 'bit-reversed', 'sequential', 'timestamp'],
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

export function checkWords(schema: Schema, findings: SchemaFinding[]): void {
  for (const table of schema.tables) {
    const report = reportTo(findings, table.name)
    check('onDelete', table.parent?.onDelete, report)
    for (const key of table.foreignKeys) check('onDelete', key.onDelete, report)
    for (const { order, property } of table.primaryKey) check('order', order, report, property)
    for (const { parts } of table.indexes) {
      for (const { order, nulls, property } of parts) {
        check('order', order, report, property)
        check('nulls', nulls, report, property)
      }
    }
    for (const { type, source, property } of table.columns) {
      check('kind', type.kind, report, property)
      const scalar = type.kind === 'array' ? type.of : type
      check('kind', scalar.kind, report, property)
      if (scalar.kind === 'uuid') check('storage', scalar.storage, report, property)
      if (scalar.kind === 'int64') check('as', scalar.as, report, property)
      if (!source) continue
      check('source', source.kind, report, property)
      if (source.kind === 'shard') check('strategy', source.strategy, report, property)
      if (source.kind === 'shard' || source.kind === 'hash')
        check('computedBy', source.computedBy, report, property)
      if (source.kind === 'hash') check('algorithm', source.algorithm, report, property)
    }
  }
  for (const view of schema.views) check('security', view.security, reportTo(findings, view.name))
}
