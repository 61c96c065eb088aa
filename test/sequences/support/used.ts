import { defineSchema, defineTable, type Database } from '@isotherm/core'
import { sequenceTable } from '@isotherm/core/sequences'

/** The table to which a transaction writes the numbers that it has taken. */
export const Used = defineTable('Used', (t) => ({
  id: t.uuidV4(),
  sequence: t.string(),
  number: t.int64(),
  at: t.timestamp({ default: 'commit' }),
}))

export const used = defineSchema([Used, sequenceTable()], {
  sequences: [{ name: 'ids' }, { name: 'MixedIds' }],
})

/** The written numbers of a sequence, in the order of their commits. */
export async function usedNumbers({ driver }: Database, sequence: string): Promise<bigint[]> {
  const [quote, parameter] = driver.dialect.name === 'googlesql' ? ['`', '@p1'] : ['"', '$1']
  const quoted = (name: string): string => quote + name + quote
  const text = `SELECT ${quoted('number')} FROM ${quoted('Used')} WHERE ${quoted('sequence')} = ${parameter} ORDER BY ${quoted('at')}, ${quoted('number')}`
  const rows = await driver.query(
    { text, parameters: [{ name: 'p1', type: { kind: 'string', length: 'max' }, value: sequence }] },
    [{ kind: 'int64' }],
  )
  return rows.map(([number]) => number as bigint)
}
