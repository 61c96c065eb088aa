const factor = Number(process.env['ISOTHERM_RUNS'] ?? 0.2)

/**
 * How often a test does what more of the same makes only surer: so many times in `pnpm test:deep`, a fifth of that in `pnpm test`.
 *
 * @example
 * for (let at = 0; at < scaled(100_000); at++) …
 */
export function scaled(runs: number): number {
  return Math.max(1, Math.ceil(runs * factor))
}

/** Of a list of cases: all of them in `pnpm test:deep`, every fifth in `pnpm test`, the same each time. */
export function someCases<Case>(cases: readonly Case[]): Case[] {
  const every = Math.max(1, Math.round(1 / factor))
  return cases.filter((_, at) => at % every === 0)
}

/**
 * How often a random test runs, for one whose runs take too long for a fifth of them.
 *
 * @param all in `pnpm test:deep`
 * @param inGate in `pnpm test`
 * @returns what is scaled once more where random tests run
 */
export function runsInGate(all: number, inGate: number): number {
  return factor < 1 ? Math.ceil(inGate / factor) : all
}
