import { defineSchema, type Insert } from '@isotherm/core'
import { type Log, logs, rows, sizes } from '@isotherm/testing/data/bucket-logs'
import { split } from '@isotherm/testing/data/by-statement'
import { describe, expect, it } from 'vitest'
import { engines } from '../../support/engines.js'
import { computed } from './computed-buckets.js'

describe.each(engines)('time buckets in $name', async (engine) => {
  const { db, beginsOf } = await computed(engine, defineSchema(logs))

  it.each(logs.map((log, at) => ({ log, by: sizes[at]! })))(
    'a bucket by $by equals the period of the time that the database computes',
    async ({ log, by }) => {
      await db.insert(log, rows as Insert<Log>[], split)
      const found = await beginsOf(log.name, by)
      expect(found).toHaveLength(rows.length)
      expect(found.filter(({ bucket, period }) => bucket !== period)).toEqual([])
    },
  )
})
