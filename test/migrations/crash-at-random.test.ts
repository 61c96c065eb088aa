import { describe } from 'vitest'
import { dialects } from '../support/spanner.js'
import { cleanRun, crashed, type Crash } from './crash/crashes.js'
import { moments, spread, tellSeed } from './crash/crash-points.js'
import { testCrashes } from './crash/suite.js'

/** How many statements of the migration change the schema. */
const SCHEMA_CHANGES = 26

tellSeed()

// A sample of twenty, over both dialects.
describe.each(dialects)('a migrator that is killed at a random point, in $name', (dialect) => {
  testCrashes<Crash>({
    child: new URL('./crash/child.ts', import.meta.url),
    name: dialect.name,
    statements: 40,
    cleanRun: (child) => cleanRun(dialect, child),
    crashed: (child, crash, seed) => crashed(dialect, child, crash, seed),
    crashesOf: ({ calls }) => [
      ...spread(4, calls).map((at): Crash => ({ kind: 'call', at })),
      ...spread(2, SCHEMA_CHANGES).map((at): Crash => ({ kind: 'statement', at })),
      ...moments(4, SCHEMA_CHANGES).map((at): Crash => ({ kind: 'moment', at })),
    ],
  })
})
