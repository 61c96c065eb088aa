import { checkSnapshots, migrationHash, type Migration } from '@isotherm/migrations'
import { defineSchema } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'

/** A migration of the n-th second, with a snapshot that continues `previous`, or without a snapshot if `previous` is undefined. */
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

describe('checkSnapshots()', () => {
  const a = migrationOf(0, 'a', null)
  const b = migrationOf(1, 'b', 'a')

  it('accepts snapshots that follow one another, also with migrations without a snapshot between them', () => {
    const migrations = [a, b, migrationOf(2, 'by_hand'), migrationOf(3, 'c', 'b')]
    expect(() => checkSnapshots([])).not.toThrow()
    expect(() => checkSnapshots(migrations)).not.toThrow()
  })

  it.each<[string, readonly Migration[], RegExp]>([
    [
      'snapshots of two branches',
      [a, b, migrationOf(2, 'c', 'a')],
      /_c.snapshot\.json continues that of 20261121093000_a, but should continue that of 20261121093001_b: 20261121093001_b and 20261121093002_c come from branches that were merged\. Delete the one that was never applied \(isotherm status shows it\), and generate it again/,
    ],
    [
      'snapshots of two branches of different lengths',
      [a, b, migrationOf(2, 'c', 'b'), migrationOf(3, 'd', 'a')],
      /_d.snapshot\.json continues that of 20261121093000_a, but should continue that of 20261121093002_c: 20261121093001_b and 20261121093003_d come from branches/,
    ],
    [
      'two snapshots that continue no snapshot',
      [a, migrationOf(1, 'b', null)],
      /_b.snapshot\.json continues no other snapshot, but should continue that of 20261121093000_a: 20261121093000_a and 20261121093001_b come from/,
    ],
    [
      'a snapshot that continues a missing snapshot',
      [migrationOf(0, 'a', '0')],
      /_a.snapshot\.json continues that of a migration that is missing, but should continue no other\. Restore the missing one/,
    ],
    [
      'a snapshot with the id of another snapshot',
      [a, migrationOf(1, 'b', 'a', 'a')],
      /_b.snapshot\.json has the id of the snapshot of 20261121093000_a\. Generate/,
    ],
  ])('rejects %s with MIGRATION_INVALID', (_, migrations, message) => {
    expect(() => checkSnapshots(migrations)).toThrow(
      expect.objectContaining({ code: 'MIGRATION_INVALID', message: expect.stringMatching(message) }),
    )
  })
})
