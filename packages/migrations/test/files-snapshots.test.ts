import { checkSnapshots, migrationHash, type Migration } from '@isotherm/migrations'
import { defineSchema } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'

/** A migration of the n-th second, of which its snapshot says what it continues; undefined for one without a snapshot. */
function migrationOf(n: number, name: string, previous?: string | null, id = name): Migration {
  return {
    name: `2026112109300${n}_${name}`,
    statements: [],
    hash: migrationHash([], googlesql),
    path: `/migrations/2026112109300${n}_${name}`,
    ...(previous !== undefined && {
      snapshot: { version: 1, dialect: 'googlesql', id, previous, schema: defineSchema([]) },
    }),
  }
}

describe('snapshots', () => {
  const a = migrationOf(0, 'a', null)
  const b = migrationOf(1, 'b', 'a')

  it('follow one another, and may be left out', () => {
    const migrations = [a, b, migrationOf(2, 'by_hand'), migrationOf(3, 'c', 'b')]
    expect(() => checkSnapshots([])).not.toThrow()
    expect(() => checkSnapshots(migrations)).not.toThrow()
  })

  it.each<[string, readonly Migration[], RegExp]>([
    [
      'of two branches',
      [a, b, migrationOf(2, 'c', 'a')],
      /_c.snapshot\.json continues that of 20261121093000_a, where it should continue that of 20261121093001_b: 20261121093001_b and 20261121093002_c are of branches that were merged\. Of 20261121093001_b and 20261121093002_c, delete the one that has run nowhere, and generate it again/,
    ],
    [
      'of two branches, one of them longer',
      [a, b, migrationOf(2, 'c', 'b'), migrationOf(3, 'd', 'a')],
      /_d.snapshot\.json continues that of 20261121093000_a, where it should continue that of 20261121093002_c: 20261121093001_b and 20261121093003_d are of branches/,
    ],
    [
      'of two beginnings',
      [a, migrationOf(1, 'b', null)],
      /_b.snapshot\.json continues no other snapshot, where it should continue that of 20261121093000_a: 20261121093000_a and 20261121093001_b are of/,
    ],
    [
      'one of which continues nothing',
      [migrationOf(0, 'a', '0')],
      /_a.snapshot\.json continues that of a migration that is not here, where it should continue no other\. Take the missing one/,
    ],
    [
      'one of which was copied',
      [a, migrationOf(1, 'b', 'a', 'a')],
      /_b.snapshot\.json has the id of the snapshot of 20261121093000_a\. Generate/,
    ],
  ])('are refused %s', (_, migrations, message) => {
    expect(() => checkSnapshots(migrations)).toThrow(
      expect.objectContaining({ code: 'MIGRATION_INVALID', message: expect.stringMatching(message) }),
    )
  })
})
