import { type PartName, testEngine } from '@isotherm/testing'
import { forEachEngine } from '../support/engines.js'
import { someCases } from '../support/runs.js'

/** The parts of the conformance suite by test files, which run side by side. */
const FILES = {
  writes: ['writes', 'calls', 'introspection', 'documents', 'timestamps as text', 'bad input', 'wrong input'],
  values: ['values'],
  'values-as-keys': ['values as keys'],
  keys: ['shards', 'shards without a hash', 'hash keys', 'UUID storage', 'values made beside the key'],
  'keys-with-time': ['descending timestamps', 'time buckets'],
  'parents-and-children': ['interleaving', 'one child'],
  'fan-out': [
    'fan-out plan',
    'fan-out pages',
    'fan-out by index',
    'NULL and empty lists',
    'fan-out beside writers',
  ],
  skew: ['skew'],
  'fan-out-equals-memory': ['fan-out equals memory'],
  children: ['fan-out children'],
  'many-rows': ['fan-out of many rows'],
  aggregates: ['aggregates', 'aggregates equal memory'],
  sequences: ['sequences', 'numbered models', 'adaptive sequences'],
} as const satisfies Readonly<Record<string, readonly PartName[]>>

type File = keyof typeof FILES

/** Does not compile while a part is in no file. */
type EachPart = Exclude<PartName, (typeof FILES)[File][number]> extends never ? File : never

/** Runs the parts of a file on each engine of this project of vitest. */
export function conform(file: EachPart): void {
  forEachEngine((engine) => testEngine(engine, { parts: FILES[file], sample: someCases }))
}
