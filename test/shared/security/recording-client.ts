import type { CqlDialect } from '@isotherm/cassandra'
import { cassandra } from '@isotherm/cassandra'
import type { Client } from 'cassandra-driver'
import type { RecordingDriver } from './recording-driver.js'
import { tokensOf } from './tokens.js'

/** The selected columns that are not NULL. */
const KINDS: Readonly<Record<string, 'int32' | 'int64' | 'string'>> = {
  shard: 'int32',
  n: 'int64',
  name: 'string',
  note: 'string',
}

/**
 * The driver of Cassandra on a client without a cluster, which records the statements that would be sent, and the bytes of
 * their parameters in hexadecimal digits.
 */
export function recordingClient(dialect: CqlDialect): RecordingDriver {
  type Statements = ReturnType<RecordingDriver['take']>['statements']
  let statements: Statements = []
  let next: Parameters<RecordingDriver['answerNext']>[0] | undefined

  const record = (text: string, values: readonly unknown[] = []): void => {
    const parameters = values.map((value, at) => ({
      name: String(at),
      type: { kind: 'bytes', length: 'max' } as const,
      value: value instanceof Uint8Array ? Buffer.from(value).toString('hex') : null,
    }))
    statements.push({ text, parameters })
  }

  const rowsOf = (text: string): object[] => {
    // The condition of a conditional write is met.
    if (/ IF /.test(text)) return [{ '[applied]': true }]
    const answer = text.startsWith('SELECT') ? next : undefined
    if (!answer) return []
    next = undefined
    const tokens = tokensOf(text, 'cql')
    const from = tokens.findIndex(({ value }) => value === 'FROM')
    const names = tokens.slice(0, from).flatMap(({ kind, value }) => (kind === 'quoted' ? [value] : []))
    const types = names.map((name) => ({ kind: KINDS[name] ?? 'bytes' }) as never)
    return answer(types).map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at]])))
  }

  const client = {
    keyspace: 'nowhere',
    options: { encoding: { useBigIntAsLong: true, map: Map } },
    async execute(text: string, values?: readonly unknown[]) {
      record(text, values)
      return { rows: rowsOf(text), columns: [], pageState: null }
    },
    async batch(queries: readonly { readonly query: string; readonly params: readonly unknown[] }[]) {
      for (const { query, params } of queries) record(query, params)
      return { rows: [], columns: [], pageState: null }
    },
  }
  return {
    driver: cassandra(client as unknown as Client, { dialect }) as never,
    take() {
      const taken = { statements, reads: [], mutations: [] }
      statements = []
      return taken
    },
    answerNext: (rows) => void (next = rows),
  }
}
