import { randomOf } from '../../support/random.js'

/** `scripts/crash-migrations.mjs` runs all points; otherwise the tests run a sample. */
const isWhole = process.env['ISOTHERM_CRASHES'] === 'all'

const seed = Number(process.env['ISOTHERM_SEED'])
const random = randomOf(seed)

/** Prints the seed of the points of these tests. */
export function tellSeed(): void {
  console.log(`Crashes: seed ${seed} (ISOTHERM_SEED=${seed} tries the same points).`)
}

/** `count` points, spread over all points; or all points. */
export function spread(count: number, last: number): number[] {
  if (isWhole) return Array.from({ length: last }, (_, at) => at + 1)
  return Array.from({ length: count }, (_, at) => Math.ceil(((at + fraction()) / count) * last))
}

/** `count` moments from 0 to the last one; 50 if all points run. */
export function moments(count: number, last: number): number[] {
  return Array.from({ length: isWhole ? 50 : count }, () => fraction() * last)
}

/** More than 0, and at most 1. */
function fraction(): number {
  return (random(1_000_000) + 1) / 1_000_000
}
