import { type PartName, testEngine } from '@isotherm/testing'
import { someCases } from '../../../../test/support/runs.js'
import { onPglite } from './pglite.js'

/** The parts of the conformance suite by test files, which run side by side. */
const FILES = {
  rows: [
    'writes',
    'calls',
    'introspection',
    'documents',
    'timestamps as text',
    'bad input',
    'wrong input',
    'values',
    'values as keys',
  ],
  keys: [
    'shards',
    'shards without a hash',
    'hash keys',
    'UUID storage',
    'values made beside the key',
    'descending timestamps',
    'time buckets',
    'interleaving',
    'one child',
    'sequences',
    'numbered models',
    'adaptive sequences',
  ],
  'fan-out': [
    'fan-out plan',
    'fan-out pages',
    'fan-out by index',
    'NULL and empty lists',
    'fan-out beside writers',
    'fan-out equals memory',
    'fan-out children',
    'aggregates',
    'aggregates equal memory',
  ],
  'many-rows': ['fan-out of many rows', 'skew'],
} as const satisfies Readonly<Record<string, readonly PartName[]>>

type File = keyof typeof FILES

/** Does not compile while a part is in no file. */
type EachPart = Exclude<PartName, (typeof FILES)[File][number]> extends never ? File : never

/** Runs the parts of a file on PGlite. */
export function conform(file: EachPart): void {
  testEngine(onPglite, { parts: FILES[file], sample: someCases })
}
