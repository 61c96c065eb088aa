import type { MigrateEvent } from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { MigrateProgress } from '../../src/terminal/progress.js'
import { createOutput } from '../../src/terminal/output.js'

const place = { migration: '20261121093000_first', of: 2, kind: 'ddl' } as const
const table = { ...place, statement: 1, sql: 'CREATE TABLE\n  T (Id INT64)' }
const index = { ...place, statement: 2, sql: 'CREATE INDEX ByName ON T (Name)' }

const events: readonly MigrateEvent[] = [
  { type: 'migration-started', migration: place.migration, statements: 2, done: 0, number: 1, of: 3 },
  { type: 'statement-started', ...table, resumed: false },
  { type: 'statement-started', ...index, resumed: true },
  { type: 'statement-finished', ...table },
  { type: 'statement-progress', ...index, percent: 10 },
  { type: 'statement-progress', ...index, percent: 30 },
  { type: 'statement-progress', ...index, percent: 40 },
  { type: 'statement-progress', ...index, percent: 80 },
  { type: 'statement-progress', ...index, percent: 100 },
  { type: 'statement-finished', ...index, rows: 5 },
  { type: 'migration-finished', migration: place.migration, milliseconds: 61_000 },
]

async function shown(told: readonly MigrateEvent[], json = false): Promise<string> {
  let text = ''
  const stream = {
    write(written: string) {
      text += written
    },
  }
  const output = createOutput({
    json,
    color: true,
    stdin: {},
    stdout: stream,
    stderr: stream,
    environment: {},
  })
  const progress = await MigrateProgress.on(output, { dialect: googlesql })
  for (const event of told) progress.show(event)
  progress.end()
  return text
}

describe('the progress of a migration, where there is no terminal', () => {
  it('is a line for each step', async () => {
    expect(await shown(events)).toBe(
      [
        '20261121093000_first (1 of 3; 2 statements)',
        '  2/2 CREATE INDEX ByName ON T (Name) was begun before: waiting for its end',
        '  done 1/2 CREATE TABLE T (Id INT64)',
        '  30% 2/2 CREATE INDEX ByName ON T (Name)',
        '  80% 2/2 CREATE INDEX ByName ON T (Name)',
        '  done 2/2 CREATE INDEX ByName ON T (Name) 5 rows',
        '  1 min 1 s',
        '',
      ].join('\n'),
    )
  })

  it('names a statement without the comments before it, and counts one row', async () => {
    const sql = '-- Makes the new table.\n/* its\nkey */ -- isotherm\nCREATE TABLE  U (Id INT64)'
    const told: readonly MigrateEvent[] = [
      { type: 'statement-finished', ...place, statement: 1, sql, rows: 1 },
      { type: 'statement-finished', ...place, statement: 2, sql: '-- nothing else' },
    ]
    expect(await shown(told)).toBe('  done 1/2 CREATE TABLE U (Id INT64) 1 row\n  done 2/2 -- nothing else\n')
  })

  it('waits for the end of no statement that changes rows: it is run again', async () => {
    const sql = 'UPDATE T SET A = 1 WHERE TRUE'
    const rows = { ...place, kind: 'partitioned', statement: 1, sql } as const
    expect(await shown([{ type: 'statement-started', ...rows, resumed: true }])).toBe(
      `  1/2 ${sql} was begun before: going on with it\n`,
    )
  })

  it('says once that it waits for another', async () => {
    const at = new Date(0)
    const waiting: MigrateEvent = { type: 'waiting', description: 'host:7', since: at, until: at }
    expect(await shown([waiting, waiting])).toBe('host:7 is migrating this database: waiting for it.\n')
  })

  it('says nothing to a program', async () => {
    expect(await shown(events, true)).toBe('')
  })
})
