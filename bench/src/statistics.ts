/** Measurements of one thing, one per round. */
export interface Summary {
  readonly median: number
  /** Median absolute deviation: half of the rounds lie within it of the median. */
  readonly mad: number
  readonly min: number
  readonly max: number
}

export function summarise(values: readonly number[]): Summary {
  const middle = median(values)
  return {
    median: middle,
    mad: median(values.map((value) => Math.abs(value - middle))),
    min: Math.min(...values),
    max: Math.max(...values),
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? NaN) + upper) / 2
}
