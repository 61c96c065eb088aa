import { expect, it } from 'vitest'
import { part } from '../part.js'
import { Note, notes, readWhileWriting } from '../data/writing.js'

export const writers = part(['snapshots'], ({ traits, database }) => {
  it('sees all rows that were committed before it began, each once and in order', async () => {
    const { db } = await database(notes)
    const { written, found } = await readWhileWriting({
      db,
      strategies: traits.strategies,
      insert: (rows) => db.insert(Note, rows, traits.unchecked),
    })
    expect(found).toBe(written)
  })
})
