import { describe } from 'vitest'
import { dialects } from '../support/spanner.js'
import { cleanRun, crashed, type Crash } from './crash/crashes.js'
import { testCrashes } from './crash/suite.js'

// At one fixed point; all other points are in `crash-at-random.test.ts`.
describe.each(dialects)(
  'a migrator that is killed before it records a schema change, in $name',
  (dialect) => {
    testCrashes<Crash>({
      child: new URL('./crash/child.ts', import.meta.url),
      name: dialect.name,
      statements: 40,
      cleanRun: (child) => cleanRun(dialect, child),
      crashed: (child, crash, seed) => crashed(dialect, child, crash, seed),
      crashesOf: () => [{ kind: 'begun', at: 3 }],
    })
  },
)
