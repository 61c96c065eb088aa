import { describe } from 'vitest'
import { spread, tellSeed } from '../../migrations/crash/crash-points.js'
import { testCrashes } from '../../migrations/crash/suite.js'
import { cleanRun, crashed, type Crash } from './crash/crashes.js'
import { statements } from './crash/statements.js'

tellSeed()

// A sample of ten.
describe('a migrator that is killed at any call, on Cassandra', () => {
  testCrashes<Crash>({
    child: new URL('./crash/child.ts', import.meta.url),
    name: 'cql',
    statements: statements.length,
    cleanRun,
    crashed,
    crashesOf: ({ calls }) => [
      ...spread(5, calls).map((at): Crash => ({ kind: 'call', at })),
      ...spread(5, calls).map((at): Crash => ({ kind: 'sent', at })),
    ],
  })
})
