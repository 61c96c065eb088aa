import { testEngine } from '@isotherm/testing'
import { expect, it } from 'vitest'
import { someCases } from '../support/runs.js'
import { pretend } from './dialect.js'
import { type PretendDatabase, pretendDriver } from './driver.js'

const inKeys = ['nanKeys', 'descendingKeys', 'narrowKeys', 'longKeys'] as const
const inValues = ['nulCharacters', 'nullItems', 'emptyLists', 'signedZero', 'everyExtreme'] as const

const leftOut = testEngine(
  {
    dialect: pretend,
    capabilities: {
      has: ['snapshots', 'commitLimits', 'sequences', 'introspection', ...inKeys, ...inValues],
      strategies: ['merge-shards', 'bucket-scan', 'client-sort'],
      readStrategies: ['merge-shards', 'client-sort'],
      sortStrategies: ['client-sort'],
    },
    start: async () => ({
      async createDatabase(ddl) {
        const database: PretendDatabase = new Map()
        await pretendDriver(database).applyDdl(ddl)
        return database
      },
      connect: async (database) => database,
      disconnect: async () => {},
      stop: async () => {},
    }),
    driver: pretendDriver,
  },
  { sample: someCases },
)

it('testEngine() leaves out tests of features that the pretend engine lacks, and returns these features', () => {
  expect(new Set(leftOut.flatMap(({ missing }) => missing))).toEqual(
    new Set([
      'interleaving',
      'transactions',
      'indexes',
      'unboundedReads',
      'ownSequences',
      'timeUuids',
      'signedZeroKeys',
    ]),
  )
  const parts = leftOut.filter(({ tests }) => tests === 'all').map(({ part }) => part)
  expect(parts).toEqual(['interleaving', 'one child', 'fan-out by index', 'fan-out children'])
})
