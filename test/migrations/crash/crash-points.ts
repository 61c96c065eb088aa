import { randomOf } from '../../support/random.js'

/** `scripts/crash-migrations.mjs` asks for all places; otherwise it is a sample. */
const isWhole = process.env['ISOTHERM_CRASHES'] === 'all'

const seed = Number(process.env['ISOTHERM_SEED'])
const random = randomOf(seed)

/** Says where the places of these tests come from. */
export function tellSeed(): void {
  console.log(`Crashes: seed ${seed} (ISOTHERM_SEED=${seed} tries the same places).`)
}

/** So many places, spread over all of them; or all. */
export function spread(count: number, last: number): number[] {
  if (isWhole) return Array.from({ length: last }, (_, at) => at + 1)
  return Array.from({ length: count }, (_, at) => Math.ceil(((at + fraction()) / count) * last))
}

/** So many moments from 0 to the last one; many more where all places are asked for. */
export function moments(count: number, last: number): number[] {
  return Array.from({ length: isWhole ? 50 : count }, () => fraction() * last)
}

/** More than 0, and at most 1. */
function fraction(): number {
  return (random(1_000_000) + 1) / 1_000_000
}
