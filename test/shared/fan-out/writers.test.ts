import { describe, expect, it } from 'vitest'
import { Note, NOTES, notes, readWhileWriting } from '../../fan-out/support/writing.js'
import { engines } from '../../support/engines.js'

describe.each(engines)('in $name, while others write, a fan-out', ({ traits, database }) => {
  it('sees all rows that were committed before it began, each once and in order', async () => {
    const { db } = await database(notes)
    const found = await readWhileWriting({
      db,
      strategies: traits.strategies,
      insert: (rows) => db.insert(Note, rows, traits.unchecked),
    })
    expect(found).toBe(NOTES)
  })
})
