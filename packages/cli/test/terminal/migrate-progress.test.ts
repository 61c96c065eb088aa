import type { MigrateEvent } from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { MigrateProgress } from '../../src/terminal/progress.js'
import { createOutput } from '../../src/terminal/output.js'

const running = { migration: '20261121093000_first', of: 2, kind: 'ddl' } as const
const table = { ...running, statement: 1, sql: 'CREATE TABLE\n  T (Id INT64)' }
const index = { ...running, statement: 2, sql: 'CREATE INDEX ByName ON T (Name)' }

const events: readonly MigrateEvent[] = [
  { type: 'migration-started', migration: running.migration, statements: 2, done: 0, number: 1, of: 3 },
  { type: 'statement-started', ...table, resumed: false },
  { type: 'statement-started', ...index, resumed: true },
  { type: 'statement-finished', ...table },
  { type: 'statement-progress', ...index, percent: 10 },
  { type: 'statement-progress', ...index, percent: 30 },
  { type: 'statement-progress', ...index, percent: 40 },
  { type: 'statement-progress', ...index, percent: 80 },
  { type: 'statement-progress', ...index, percent: 100 },
  { type: 'statement-finished', ...index, rows: 5 },
  { type: 'migration-finished', migration: running.migration, milliseconds: 61_000 },
]

async function shown(events: readonly MigrateEvent[], json = false): Promise<string> {
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
  for (const event of events) progress.show(event)
  progress.end()
  return text
}

describe('the progress of a migration without a terminal', () => {
  it('prints one line for each step of a migration', async () => {
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

  it.each([
    [1, 1, '1 statement, which has run before'],
    [2, 1, '2 statements, 1 of them has run before'],
    [3, 2, '3 statements, 2 of them have run before'],
  ])('says of %i statements, of which %i ran before: %s', async (statements, done, text) => {
    const { migration } = running
    expect(await shown([{ type: 'migration-started', migration, statements, done, number: 1, of: 1 }])).toBe(
      `${migration} (1 of 1; ${text})\n`,
    )
  })

  it('omits comments before a statement, and prints 1 row in the singular', async () => {
    const sql = '-- Makes the new table.\n/* its\nkey */ -- isotherm\nCREATE TABLE  U (Id INT64)'
    const events: readonly MigrateEvent[] = [
      { type: 'statement-finished', ...running, statement: 1, sql, rows: 1 },
      { type: 'statement-finished', ...running, statement: 2, sql: '-- nothing else' },
    ]
    expect(await shown(events)).toBe(
      '  done 1/2 CREATE TABLE U (Id INT64) 1 row\n  done 2/2 -- nothing else\n',
    )
  })

  it('says that an interrupted statement that changes rows is continued', async () => {
    const sql = 'UPDATE T SET A = 1 WHERE TRUE'
    const rows = { ...running, kind: 'partitioned', statement: 1, sql } as const
    expect(await shown([{ type: 'statement-started', ...rows, resumed: true }])).toBe(
      `  1/2 ${sql} was begun before: continuing it\n`,
    )
  })

  it('prints only once that another host migrates the database', async () => {
    const at = new Date(0)
    const waiting: MigrateEvent = { type: 'waiting', description: 'host:7', since: at, until: at }
    expect(await shown([waiting, waiting])).toBe('host:7 is migrating this database: waiting for it.\n')
  })

  it('prints nothing under --json', async () => {
    expect(await shown(events, true)).toBe('')
  })
})
