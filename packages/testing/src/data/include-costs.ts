import type { CostProfile, IncludeStrategy } from '@isotherm/core'

/** Costs that leave a fan-out no choice of how it reads children; what they do to the rows' own strategy is overruled. */
export const includeCosts: Record<IncludeStrategy, Partial<CostProfile>> = {
  read: { statement: 1e9 },
  statement: { statement: -1e9, statementsScan: false },
}
