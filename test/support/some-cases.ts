/** As many of the cases as a run takes of random tests: all in the deep suite, and otherwise every fifth, the same each time. */
export function someCases<Case>(cases: readonly Case[]): Case[] {
  const every = Math.max(1, Math.round(1 / Number(process.env['ISOTHERM_RUNS'] ?? 0.2)))
  return cases.filter((_, at) => at % every === 0)
}
