import { defineSchema, type Database } from '@isotherm/core'
import { sequenceTable } from '@isotherm/core/sequences'

/** The table of sequences, and nothing beside it, which every engine has. */
export const counted = defineSchema([sequenceTable()])

/** The number at which a sequence stands. */
export async function standsAt(db: Database, name: string): Promise<bigint | undefined> {
  const row = await db.get('sequences', { name })
  return row?.['nextValue'] as bigint | undefined
}

export const upTo = (last: number): bigint[] =>
  Array.from({ length: last }, (_, position) => BigInt(position + 1))

export function ascending(numbers: readonly bigint[]): bigint[] {
  return numbers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

export const rested = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
