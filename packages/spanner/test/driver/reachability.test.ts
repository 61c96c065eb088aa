import type { Database } from '@google-cloud/spanner'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rejection } from '../../../core/test/support/refusal.js'
import { addressOf, Reachability } from '../../src/driver/reachability.js'

const refusal = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const never = (): Promise<never> => new Promise(() => {})
const TIMEOUT = 3_600_000

describe('Reachability', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function host() {
    const state = { isUp: true, probes: 0 }
    const reach = new Reachability({ host: 'db', port: 443 }, async () => {
      state.probes++
      return state.isUp ? undefined : refusal
    })
    return { state, reach }
  }

  /** How long a call waits until it fails, in milliseconds; Infinity when the call does not fail within `atMost`. */
  async function failsAfter(reach: Reachability, atMost: number): Promise<number> {
    const begun = performance.now()
    const failed = rejection(reach.answer(never, TIMEOUT)).then((error) => {
      expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: true })
      return performance.now() - begun
    })
    const over = new Promise<number>((resolve) => setTimeout(() => resolve(Infinity), atMost))
    await vi.advanceTimersByTimeAsync(atMost)
    return Promise.race([failed, over])
  }

  it('fails waiting calls with UNAVAILABLE when the host refuses connections', async () => {
    const { state, reach } = host()
    state.isUp = false
    expect(await failsAfter(reach, 10_000)).toBeLessThan(4_000)
    // The host is known to refuse connections, and is probed once for each call.
    expect(await failsAfter(reach, 10_000)).toBeLessThan(500)
  })

  it.each([0, 5_000, 8_500, 60_000, 600_000])(
    'fails a new call within five seconds when the host stops %d ms into a long call',
    async (before) => {
      const { state, reach } = host()
      reach.answer(never, TIMEOUT).catch(() => {})
      await vi.advanceTimersByTimeAsync(before)
      state.isUp = false
      expect(await failsAfter(reach, 40_000)).toBeLessThan(5_000)
    },
  )

  it('probes the host less often the longer a call takes, and about twice a second for many calls', async () => {
    const { state, reach } = host()
    reach.answer(never, TIMEOUT).catch(() => {})
    await vi.advanceTimersByTimeAsync(600_000)
    expect(state.probes).toBeLessThan(30)
    state.probes = 0
    for (let at = 0; at < 1_000; at++) {
      reach.answer(never, 1_000).catch(() => {})
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(state.probes).toBeLessThan(25)
  })

  it('does not probe the host for calls that are answered soon', async () => {
    const { state, reach } = host()
    for (let at = 0; at < 100; at++) await reach.answer(async () => at, TIMEOUT)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(state.probes).toBe(0)
  })

  it('does not fail a call when the host is back after a restart', async () => {
    const { state, reach } = host()
    state.isUp = false
    let answered: ((row: string) => void) | undefined
    const call = reach.answer(() => new Promise<string>((resolve) => (answered = resolve)), TIMEOUT)
    await vi.advanceTimersByTimeAsync(2_000)
    state.isUp = true
    await vi.advanceTimersByTimeAsync(2_000)
    answered!('row')
    expect(await call).toBe('row')
  })

  it('does not probe the host for a call that throws at once', async () => {
    const { state, reach } = host()
    const call = reach.answer(() => {
      throw new Error('thrown')
    }, TIMEOUT)
    await expect(call).rejects.toThrow('thrown')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(state.probes).toBe(0)
  })
})

describe('addressOf()', () => {
  beforeEach(() => {
    for (const name of ['SPANNER_EMULATOR_HOST', 'grpc_proxy', 'https_proxy', 'http_proxy'])
      for (const each of [name, name.toUpperCase()]) vi.stubEnv(each, undefined)
  })
  afterEach(() => void vi.unstubAllEnvs())

  const of = (options: object): unknown =>
    addressOf({ parent: { parent: { options } } } as unknown as Database)

  it.each<[object, unknown]>([
    [{}, { host: 'spanner.googleapis.com', port: 443 }],
    [
      { servicePath: '127.0.0.1', port: 9010 },
      { host: '127.0.0.1', port: 9010 },
    ],
    [
      { servicePath: 'localhost', port: '9010' },
      { host: 'localhost', port: 9010 },
    ],
    [
      { servicePath: '[::1]', port: 9010 },
      { host: '[::1]', port: 9010 },
    ],
    [
      { apiEndpoint: 'spanner.europe-west1.rep.googleapis.com' },
      { host: 'spanner.europe-west1.rep.googleapis.com', port: 443 },
    ],
    [
      { servicePath: 'first', apiEndpoint: 'second' },
      { host: 'first', port: 443 },
    ],
    [
      { servicePath: '', apiEndpoint: 'second' },
      { host: 'second', port: 443 },
    ],
    [{ universeDomain: 'example.org' }, { host: 'spanner.example.org', port: 443 }],
    [{ universe_domain: 'example.org' }, { host: 'spanner.example.org', port: 443 }],
    [{ apiEndpoint: 'dns:///spanner.googleapis.com' }, undefined],
    [{ apiEndpoint: 'unix:/run/spanner' }, undefined],
  ])('returns for a client with the options %o the address %o', (options, address) => {
    expect(of(options)).toEqual(address)
  })

  it('returns undefined behind a proxy, or when the client has no readable options', () => {
    expect(addressOf({} as Database)).toBeUndefined()
    vi.stubEnv('HTTPS_PROXY', 'http://proxy:3128')
    expect(of({})).toBeUndefined()
  })
})
