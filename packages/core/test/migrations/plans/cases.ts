import type { PlanCase } from './case.js'
import { columnPlans } from './columns.js'
import { constraintPlans } from './constraints.js'
import { indexPlans } from './indexes.js'
import { objectPlans } from './objects.js'

/** A plan for each kind of change. Each is executed on a real engine elsewhere. */
export const planCases: readonly PlanCase[] = [
  ...columnPlans,
  ...constraintPlans,
  ...indexPlans,
  ...objectPlans,
]
