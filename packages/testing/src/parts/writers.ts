import { expect, it } from 'vitest'
import { part } from '../part.js'
import { Note, notes, readWhileWriting } from '../data/writing.js'

export const writers = part(['snapshots'], ({ traits, database }) => {
  it('fan-outs during writes return all rows committed before the read, each once and in order', async () => {
    const { db } = await database(notes)
    const { written, found } = await readWhileWriting({
      db,
      strategies: traits.strategies,
      insert: (rows) => db.insert(Note, rows, traits.unchecked),
    })
    expect(found).toBe(written)
  })
})
