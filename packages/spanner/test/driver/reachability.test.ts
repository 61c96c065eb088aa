import type { Database } from '@google-cloud/spanner'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rejection } from '../../../core/test/support/refusal.js'
import { addressOf, Reachability } from '../../src/driver/reachability.js'

const refusal = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const never = (): Promise<never> => new Promise(() => {})
const TIMEOUT = 3_600_000

describe('a host', () => {
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

  /** How long a call waits until it fails, in milliseconds; more than `atMost` where it does not. */
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

  it('that refuses connections fails the calls that wait for it', async () => {
    const { state, reach } = host()
    state.isUp = false
    expect(await failsAfter(reach, 10_000)).toBeLessThan(4_000)
    // It is known to refuse, and is probed once for each call.
    expect(await failsAfter(reach, 10_000)).toBeLessThan(500)
  })

  it.each([0, 5_000, 8_500, 60_000, 600_000])(
    'that stops %d ms into a long call fails a new call within five seconds',
    async (before) => {
      const { state, reach } = host()
      reach.answer(never, TIMEOUT).catch(() => {})
      await vi.advanceTimersByTimeAsync(before)
      state.isUp = false
      expect(await failsAfter(reach, 40_000)).toBeLessThan(5_000)
    },
  )

  it('is probed ever more rarely for a long call, and at most twice a second for many', async () => {
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

  it('is not probed for calls that are answered soon', async () => {
    const { state, reach } = host()
    for (let at = 0; at < 100; at++) await reach.answer(async () => at, TIMEOUT)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(state.probes).toBe(0)
  })

  it('that is back after a restart fails nothing', async () => {
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

  it('is forgotten by a call that throws before it waits', async () => {
    const { state, reach } = host()
    const call = reach.answer(() => {
      throw new Error('thrown')
    }, TIMEOUT)
    await expect(call).rejects.toThrow('thrown')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(state.probes).toBe(0)
  })
})

describe('the host that is probed', () => {
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
  ])('of a client with the options %o is %o', (options, address) => {
    expect(of(options)).toEqual(address)
  })

  it('is none behind a proxy, or where the client does not show its options', () => {
    expect(addressOf({} as Database)).toBeUndefined()
    vi.stubEnv('HTTPS_PROXY', 'http://proxy:3128')
    expect(of({})).toBeUndefined()
  })
})
