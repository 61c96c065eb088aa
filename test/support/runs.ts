const factor = Number(process.env['ISOTHERM_RUNS'] ?? 0.1)

/**
 * How often a test repeats the same check: `runs` times in `pnpm test:deep`, a tenth of that in `pnpm test`.
 *
 * @example
 * for (let at = 0; at < scaled(100_000); at++) …
 */
export function scaled(runs: number): number {
  return Math.max(1, Math.ceil(runs * factor))
}

/**
 * Of a list of cases: all of them in `pnpm test:deep`, a tenth in `pnpm test`, the same each time. Engines are not
 * cases: every change is tested on each of them, but for `sampledFragileEngines`.
 *
 * @param min the least number of cases, evenly spread, if a tenth is fewer
 */
export function someCases<Case>(cases: readonly Case[], min = 1): Case[] {
  const count = Math.min(cases.length, Math.max(min, scaled(cases.length)))
  return Array.from({ length: count }, (_, at) => cases[Math.floor((at * cases.length) / count)]!)
}

/** Whether all cases run, as in `pnpm test:deep`. */
export const isDeep = factor >= 1

/**
 * How often a random test runs, for one whose runs take too long for a tenth of them.
 *
 * @param all in `pnpm test:deep`
 * @param inGate in `pnpm test`
 * @returns the number of runs, which is scaled once more where random tests run
 */
export function runsInGate(all: number, inGate: number): number {
  return isDeep ? all : Math.ceil(inGate / factor)
}
