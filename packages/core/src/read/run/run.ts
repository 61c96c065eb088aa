import type { PlainRow } from '../../engine/codec.js'
import type { FanOutPlan, PlanOutcome } from '../plan/plan.js'
import { backJoined, withChildren } from './children.js'
import { sortedRows } from './client-sort.js'
import type { Execution } from './execution.js'
import { mergedRows } from './streams.js'
import { probedWindow, readWindow } from './window.js'

/** Runs a plan: batches of rows, in order. Ending the iteration early gives everything back. */
export async function* runPlan(execution: Execution): AsyncGenerator<PlainRow[], void, undefined> {
  const { plan } = execution
  let failure: unknown
  try {
    if (plan.calls.length === 0) return
    await execution.begin()
    const found = plannedRows(execution)
    for await (const rows of plan.includes ? withChildren(found, execution) : found) {
      execution.returned(rows)
      yield rows
      // Rows that have been read ahead are not wanted any more.
      execution.refuseAborted()
    }
  } catch (error) {
    failure = error
    throw error
  } finally {
    execution.end(failure)
  }
}

/** The rows of the first plan, and of the plans that follow it. */
async function* plannedRows(execution: Execution): AsyncGenerator<PlainRow[], void, undefined> {
  let plan: FanOutPlan | undefined = execution.plan
  while (plan) {
    const outcome: PlanOutcome = yield* rowsOf(execution, plan)
    plan = execution.next(plan, outcome)
  }
  execution.refuseAllLost()
}

async function* rowsOf(
  execution: Execution,
  plan: FanOutPlan,
): AsyncGenerator<PlainRow[], PlanOutcome, undefined> {
  switch (plan.strategy) {
    case 'read-ranges':
      return yield* readWindow(execution, plan)
    case 'probe-window':
      return yield* probedWindow(execution, plan)
    case 'client-sort':
      return yield* sortedRows(execution, plan)
    case 'back-join':
      return yield* backJoined(mergedRows(execution, plan), execution)
    default:
      return { found: yield* mergedRows(execution, plan) }
  }
}
