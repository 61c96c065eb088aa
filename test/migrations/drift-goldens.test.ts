import { compareWithLive } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { goldens } from '../../packages/spanner/test/golden/schemas.js'
import { someCases } from '../support/runs.js'
import { onEmulator } from './on-emulator.js'
import { databaseAfter, recordedOf } from './planned.js'

// The emulator forgets whose rights a view needs, in the PostgreSQL dialect.
const made = goldens.filter(({ name, takenByEmulator }) => takenByEmulator && name !== 'view-of-definer')

describe('a database is what was expected that was made', () => {
  it.each(someCases(made))('with the golden schema $name in $dialect.name', async ({ schema, dialect }) => {
    const live = await databaseAfter(onEmulator, schema, dialect)
    const recorded = await recordedOf(onEmulator, schema, dialect)
    expect(compareWithLive(schema, live, { dialect, recorded })).toEqual({ changes: [], refusals: [] })
  })
})
