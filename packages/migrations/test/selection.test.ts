import { defineSchema } from '@isotherm/core'
import { migrationHash, type Migration, type Snapshot, type SelectionOptions } from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import type { MigrationRecord } from '../src/history/tables.js'
import { compareWithHistory, type MigrationProgress } from '../src/run/progress.js'
import { heldMigration, selectMigrations } from '../src/run/selection.js'

/** The last snapshot that was made, which the next one continues. */
let last: string | null = null

const step = (name: string, ...commands: readonly string[]): Migration => {
  const snapshot: Snapshot = {
    version: 1,
    dialect: 'googlesql',
    id: name,
    previous: last,
    schema: defineSchema([]),
  }
  last = name
  return { ...byHand(name, ...commands), snapshot }
}

function byHand(name: string, ...commands: readonly string[]): Migration {
  const statements = commands.map((sql) => ({ kind: sql.endsWith(';') ? 'ddl' : 'reshard', sql }) as const)
  return { name, statements, hash: migrationHash(statements, googlesql), path: '' }
}

const CHANGE = [
  step('10_create', '-- Makes B.\n-- The way back: DROP TABLE B\nPREPARE A TO B', 'CREATE TABLE B;'),
  step('11_begin', '-- Lets the application write both.\nBEGIN A TO B'),
  step('12_copy', 'COPY A TO B'),
  step('13_verify', 'VERIFY A TO B'),
  step('14_switch', 'SWITCH A TO B'),
  step('15_finish', 'FINISH A TO B'),
  step('16_drop', 'DROP TABLE A;'),
  step('20_feature', 'CREATE TABLE C;'),
  byHand('30_back', 'RETURN A TO B'),
]

const applied = (names: readonly string[]): readonly MigrationProgress[] => {
  const record = ({ name, hash }: Migration) =>
    ({ migration: name, statement: 0, state: 'done', hash }) as unknown as MigrationRecord
  return compareWithHistory(CHANGE, CHANGE.filter(({ name }) => names.includes(name)).map(record), googlesql)
}

/** The names of the migrations that would run, and of the migration before which the run stops. */
const selected = (done: readonly string[], options: SelectionOptions = {}) => {
  const all = applied(done)
  const names = selectMigrations(all, googlesql, options).map(({ name }) => name.slice(3))
  return [names.join(' '), heldMigration(all, options)?.slice(3)]
}

const SWITCHED = ['10_create', '11_begin', '12_copy', '13_verify', '14_switch']

describe('selectMigrations()', () => {
  it('stops before each reshard step that the option "to" does not name', () => {
    expect(selected([])).toEqual(['create', 'begin'])
    expect(selected([], { to: '20_feature' })).toEqual(['create', 'begin'])
    expect(selected([], { to: '13_verify', propagationWaitMs: 60 })).toEqual(['create', 'begin'])
    expect(selected(['10_create'], { to: '11_begin' })).toEqual(['begin', undefined])
    expect(selected(['10_create'], { to: '12' })).toEqual(['', 'begin'])
    expect(selected([...SWITCHED], { to: '20_feature' })).toEqual(['', 'finish'])
    expect(selected([...SWITCHED, '15_finish'], { to: '20' })).toEqual(['drop feature', undefined])
  })

  it('selects all migrations with propagationWaitMs: 0 and a later migration in the option "to"', () => {
    expect(selected([], { propagationWaitMs: 0 })).toEqual(['create', 'begin'])
    const names = 'create begin copy verify switch finish drop feature'
    expect(selected([], { propagationWaitMs: 0, to: '20_feature' })).toEqual([names, undefined])
  })

  it('selects only the RETURN migration that the option "to" names, and the remaining steps afterwards', () => {
    expect(selected(SWITCHED, { to: '30_back' })).toEqual(['back', undefined])
    const back = [...SWITCHED, '30_back']
    expect(selected(back)).toEqual(['', 'finish'])
    expect(selected(back, { to: '15_finish' })).toEqual(['finish', undefined])
    expect(selected([...back, '15_finish'])).toEqual(['drop feature', undefined])
    // A step is rejected if a later migration has already run.
    expect(() => selected([...SWITCHED, '16_drop'], { to: '15_finish' })).toThrow(
      /15_finish has not run, but the later 16_drop has/,
    )
  })
})
