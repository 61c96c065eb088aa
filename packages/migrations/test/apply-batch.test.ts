import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { batchLength } from '../src/diff/statements.js'

/** The length of each batch. */
function batches(statements: readonly string[]): number[] {
  const lengths: number[] = []
  for (let at = 0; at < statements.length; at += lengths.at(-1)!) {
    lengths.push(batchLength(statements.slice(at), googlesql))
  }
  return lengths
}

const table = (name: string): string => `CREATE TABLE ${name} (id INT64) PRIMARY KEY (id)`
const index = (name: string, on: string): string => `CREATE UNIQUE NULL_FILTERED INDEX ${name} ON ${on} (v)`
const many = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n))

describe('a batch of schema changes', () => {
  it('holds up to 500 statements that create tables and indexes on these tables', () => {
    const statements = many(60, (n) => [
      table(`t${n}`),
      index(`i${n}`, `t${n}`),
      index(`j${n}`, `t${n}`),
    ]).flat()
    expect(batches(statements)).toEqual([180])
    expect(batches(many(1100, (n) => table(`t${n}`)))).toEqual([500, 500, 100])
  })

  it('holds at most ten statements that read existing rows', () => {
    expect(batches(many(23, (n) => index(`i${n}`, 'old')))).toEqual([10, 10, 3])
    expect(batches(many(12, (n) => `ALTER TABLE old ADD CONSTRAINT c${n} CHECK (v > ${n})`))).toEqual([10, 2])
    for (const index of ['INDEX', 'VECTOR INDEX', 'SEARCH INDEX']) {
      for (const stored of ['STORED', 'INCLUDE']) {
        const filled = many(11, (n) => `ALTER ${index} i${n} ADD ${stored} COLUMN w`)
        expect(batches(filled)).toEqual([10, 1])
      }
    }
    const references = (n: number) =>
      `CREATE TABLE t${n} (id INT64, FOREIGN KEY (id) REFERENCES a (id)) PRIMARY KEY (id)`
    expect(batches(many(11, references))).toEqual(many(11, () => 1))
  })

  it('ends before a new table that follows an index on an existing table', () => {
    expect(batches([table('a'), index('i', 'old'), table('b'), index('j', 'b')])).toEqual([2, 2])
    // An index on a new table counts if the batch already has an index on an existing table.
    expect(batches([table('a'), index('i', 'old'), ...many(10, (n) => index(`a${n}`, 'a'))])).toEqual([11, 1])
  })

  it('batchLength() finds the indexes of a new table regardless of quotes and case of the table name', () => {
    const wordings = ['CREATE TABLE IF NOT EXISTS `sales`.`Order` (id INT64) PRIMARY KEY (id)']
    const indexes = many(15, (n) => `CREATE INDEX i${n} ON sales.ORDER (id)`)
    expect(batches([...wordings, ...indexes])).toEqual([16])
    expect(batches([...wordings, ...many(15, (n) => `CREATE INDEX i${n} ON other.ORDER (id)`)])).toEqual([
      11, 5,
    ])
  })

  it('holds more than ten statements if the additional statements read no rows', () => {
    const cheap = [
      'DROP INDEX i',
      'ALTER INDEX i DROP STORED COLUMN w',
      'CREATE SEQUENCE s',
      'CREATE VIEW v SQL SECURITY INVOKER AS SELECT 1 AS one',
      'DROP TABLE t',
    ]
    expect(batches([...many(10, (n) => index(`i${n}`, 'old')), ...cheap])).toEqual([15])
  })
})
