import { adaptiveSequences } from './adaptive-sequences.js'
import { aggregates } from './aggregates.js'
import { aggregatesEqualMemory } from './aggregates-equal-memory.js'
import { badInput } from './bad-input.js'
import { byIndex } from './by-index.js'
import { calls } from './calls.js'
import { descTimestamp } from './desc-timestamp.js'
import { documents } from './documents.js'
import { equalsMemory } from './equals-memory.js'
import { hashKeys } from './hash-keys.js'
import { include } from './include.js'
import { interleaving } from './interleaving.js'
import { introspection } from './introspection.js'
import { large } from './large.js'
import { madeBesideKey } from './made-beside-key.js'
import { nullAndEmpty } from './null-and-empty.js'
import { numberedModels } from './numbered-models.js'
import { oneChild } from './one-child.js'
import { pages } from './pages.js'
import { plan } from './plan.js'
import { sequences } from './sequences.js'
import { shardStrategies } from './shard-strategies.js'
import { shards } from './shards.js'
import { skew } from './skew.js'
import { timeBuckets } from './time-buckets.js'
import { timestampText } from './timestamp-text.js'
import { uuidStorage } from './uuid-storage.js'
import { roundTrips } from './values.js'
import { valuesAsKeys } from './values-as-keys.js'
import { writers } from './writers.js'
import { writes } from './writes.js'
import { wrongInput } from './wrong-input.js'

/** The parts of the suite, by their names in titles. */
export const PARTS = {
  writes,
  calls,
  introspection,
  values: roundTrips,
  documents,
  'timestamps as text': timestampText,
  'values as keys': valuesAsKeys,
  'bad input': badInput,
  'wrong input': wrongInput,
  shards,
  'shards without a hash': shardStrategies,
  'hash keys': hashKeys,
  'descending timestamps': descTimestamp,
  'UUID storage': uuidStorage,
  'values made beside the key': madeBesideKey,
  'time buckets': timeBuckets,
  interleaving,
  'one child': oneChild,
  'fan-out plan': plan,
  'fan-out pages': pages,
  'fan-out by index': byIndex,
  'NULL and empty lists': nullAndEmpty,
  'fan-out equals memory': equalsMemory,
  'fan-out children': include,
  'fan-out beside writers': writers,
  'fan-out of many rows': large,
  skew,
  aggregates,
  'aggregates equal memory': aggregatesEqualMemory,
  sequences,
  'numbered models': numberedModels,
  'adaptive sequences': adaptiveSequences,
} as const

/** The name of a part of the suite. */
export type PartName = keyof typeof PARTS
