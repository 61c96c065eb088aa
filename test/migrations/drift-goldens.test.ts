import { compareWithLive } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { goldens } from '../../packages/spanner/test/golden/schemas.js'
import { someCases } from '../support/runs.js'
import { onEmulator } from './on-emulator.js'
import { databaseAfter, recordedOf } from './planned.js'

// The emulator does not store the SQL SECURITY of a view in the PostgreSQL dialect.
const made = goldens.filter(({ name, takenByEmulator }) => takenByEmulator && name !== 'view-of-definer')

describe('the comparison of a database with the schema from which it was created', () => {
  it.each(someCases(made))(
    'finds no difference for the golden schema $name in $dialect.name',
    async ({ schema, dialect }) => {
      const live = await databaseAfter(onEmulator, schema, dialect)
      const recorded = await recordedOf(onEmulator, schema, dialect)
      expect(compareWithLive(schema, live, { dialect, recorded })).toEqual({ changes: [], refusals: [] })
    },
  )
})
