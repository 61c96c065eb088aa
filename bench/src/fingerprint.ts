import { strictEqual } from 'node:assert'
import { fingerprint } from '@isotherm/core/keys'
import { bigqueryFingerprint } from 'farmhash-modern'
import type { Benchmark } from './benchmark.js'
import { compare } from './harness.js'

const TEXTS = 1_000

const kinds = [
  ['integers of 1 to 19 digits', (at: number) => String(BigInt(at) ** 6n)],
  ['UUIDs', () => crypto.randomUUID()],
  ['texts of 100 characters', (at: number) => String(at).padStart(100, 'isotherm/')],
] as const

export const fingerprints: Benchmark = {
  name: 'fingerprint',
  title: 'the hash of a shard: fingerprint() against farmhash-modern, which is WebAssembly',
  async run() {
    const comparisons = []
    for (const [name, textOf] of kinds) {
      const texts = Array.from({ length: TEXTS }, (_, at) => textOf(at))
      const raw = () => texts.map((text) => bigqueryFingerprint(Buffer.from(text)))
      const ours = () => texts.map((text) => fingerprint(text))
      strictEqual(String(ours()), String(raw()), 'Both sides give the same.')
      comparisons.push(
        await compare({
          name,
          per: 'text',
          operations: TEXTS,
          turns: 100,
          rounds: 15,
          targets: {},
          raw: () => Promise.resolve(raw()),
          ours: () => Promise.resolve(ours()),
        }),
      )
    }
    return comparisons
  },
}
