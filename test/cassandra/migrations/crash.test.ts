import { describe } from 'vitest'
import { testCrashes } from '../../migrations/crash/suite.js'
import { cleanRun, crashed, type Crash } from './crash/crashes.js'
import { statements } from './crash/statements.js'

// At one place that is always the same; all others are in `crash-at-random.test.ts`.
describe('a migrator that is killed before it records a schema change, on Cassandra', () => {
  testCrashes<Crash>({
    child: new URL('./crash/child.ts', import.meta.url),
    name: 'cql',
    statements: statements.length,
    cleanRun,
    crashed,
    crashesOf: () => [{ kind: 'begun', at: 3 }],
  })
})
