import type { PlainRow } from '../../database/codec.js'
import { backJoined } from './back-join.js'
import type { Reading } from './reading.js'
import { chunkSources, merged } from './sources.js'
import { sortHere } from './sort-here.js'
import { mergedLanes, walkBuckets } from './walk.js'
import { probeWindow, readWindow } from './window.js'
import { losesRows, withChildren } from '../children/with-children.js'

/** Runs a plan: batches of rows, in order. Ending the iteration early gives everything back. */
export async function* runPlan(reading: Reading): AsyncGenerator<PlainRow[], void, undefined> {
  const { request, plan } = reading
  let failure: unknown
  try {
    if (plan.calls.length === 0) return
    await reading.begin()
    const found = batches(reading)
    for await (const rows of request.includes.length > 0 ? withChildren(found, reading) : found) {
      reading.returned(rows)
      yield rows
      // Rows that have been read ahead are not wanted any more.
      reading.refuseAborted()
    }
  } catch (error) {
    failure = error
    throw error
  } finally {
    reading.end(failure)
  }
}

async function* batches(reading: Reading): AsyncGenerator<PlainRow[], void, undefined> {
  const { plan, request, behind } = reading
  switch (plan.strategy) {
    case 'read-ranges':
      yield await readWindow(reading)
      return
    case 'probe-window':
      yield* probeWindow(reading)
      return
    case 'back-join': {
      // Entries may not show whether their rows match.
      const limit = reading.matches ? undefined : request.limit
      yield* backJoined(merged(chunkSources(reading, plan.calls, behind), reading, limit), reading)
      return
    }
    case 'walk-buckets':
      yield* walkBuckets(reading)
      return
    case 'sort-here':
      yield* sortHere(reading)
      return
    default: {
      if (reading.lanes) {
        yield* mergedLanes(reading, plan.calls, request.limit)
        return
      }
      const sources = chunkSources(reading, plan.calls, behind)
      // Rows that get lost leave their places to those that follow, however many.
      if (losesRows(reading)) yield* merged(sources, reading, undefined, request.limit)
      else yield* merged(sources, reading, request.limit)
    }
  }
}
