import type { PlanCase } from './case.js'
import { columnPlans } from './columns.js'
import { constraintPlans } from './constraints.js'
import { generatedPlans } from './generated.js'
import { indexPlans } from './indexes.js'
import { objectPlans } from './objects.js'
import { viewPlans } from './views.js'

/** A plan for each kind of change. Each is executed on a real engine elsewhere. */
export const planCases: readonly PlanCase[] = [
  ...columnPlans,
  ...generatedPlans,
  ...constraintPlans,
  ...indexPlans,
  ...objectPlans,
  ...viewPlans,
]
