import { expect } from 'vitest'
import * as values from './values.js'
import { type Database, defineSchema, defineTable } from '@isotherm/core'

export const paper = defineTable('Paper', (t) => ({ id: t.uuidV4(), document: t.json({ nullable: true }) }))

export const papers = defineSchema([paper])

/** Writes documents, and reads them back. */
export function writingTo(db: Database) {
  /** What is read back, which is what the insert has shown. */
  const insert = async (document: unknown): Promise<unknown> => {
    const [row] = await db.insert('Paper', [{ document }])
    const read = await db.get('Paper', row!)
    expect(values.comparable(read!['document'])).toStrictEqual(values.comparable(row!['document']))
    return read!['document']
  }
  const refusal = (document: unknown): Promise<unknown> =>
    db.insert('Paper', [{ document }]).catch((error: unknown) => error)
  return { insert, refusal }
}
