import { WayRefused, startFirstWay } from '@isotherm/core/local'
import { IsothermError } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { type EngineWay } from '../../src/local/resolve.js'

type Name = 'first' | 'second' | 'third'

function start(
  ways: Partial<Record<Name, () => Promise<string>>>,
  asked?: readonly Name[],
): Promise<{ engine?: string; error?: IsothermError; tried: Name[] }> {
  const tried: Name[] = []
  const way = (name: Name): EngineWay<Name, string> => ({
    name,
    start: () => {
      tried.push(name)
      return ways[name]?.() ?? Promise.reject(new WayRefused(`${name} is away.`))
    },
  })
  return startFirstWay({
    engine: 'test engine',
    ways: [way('first'), way('second'), way('third')],
    asked,
    fix: 'Buy one.',
  }).then(
    (engine) => ({ engine, tried }),
    (error: unknown) => {
      if (!(error instanceof IsothermError)) throw error
      return { error, tried }
    },
  )
}

describe('startFirstWay', () => {
  it('takes the first way that works and tries no further', async () => {
    const outcome = await start({ second: async () => 'engine 2' })
    expect(outcome).toEqual({ engine: 'engine 2', tried: ['first', 'second'] })
  })

  it('keeps to the ways asked for, in their order', async () => {
    const outcome = await start({ first: async () => 'engine 1' }, ['third', 'first'])
    expect(outcome).toEqual({ engine: 'engine 1', tried: ['third', 'first'] })
  })

  it('names every way and what it said', async () => {
    const { error } = await start({ second: () => Promise.reject(new Error('bang')) }, ['first', 'second'])
    expect(error?.code).toBe('ENGINE_UNAVAILABLE')
    expect(error?.message).toBe(
      [
        'No test engine could be had:',
        '  - first: first is away.',
        '  - second: bang',
        '  - third: not asked for (ways: first, second).',
        'To fix it: Buy one.',
      ].join('\n'),
    )
    expect(error?.cause).toBeInstanceOf(AggregateError)
  })

  it('does not hide a way that is set but fails behind the next one', async () => {
    const away = new WayRefused('its setting is wrong.', { final: true })
    const { error, tried } = await start({
      first: () => Promise.reject(away),
      second: async () => 'engine 2',
    })
    expect(tried).toEqual(['first'])
    expect(error?.cause).toBe(away)
    expect(error?.message).toContain('  - first: its setting is wrong.')
    expect(error?.message).toContain('  - second: not tried, because of the above.')
  })

  it('lets an error of our own through', async () => {
    const cancelled = new IsothermError('CANCELLED', 'Enough.')
    const { error, tried } = await start({ first: () => Promise.reject(cancelled) })
    expect(error).toBe(cancelled)
    expect(tried).toEqual(['first'])
  })

  it.each([
    { asked: [], message: 'The list of ways is empty. Name one or more of: first, second, third.' },
    {
      asked: ['fourth' as Name],
      message: 'There is no way "fourth" to an engine. Name one or more of: first, second, third.',
    },
  ])('refuses the ways $asked', async ({ asked, message }) => {
    const { error, tried } = await start({}, asked)
    expect(error).toMatchObject({ code: 'INVALID_VALUE', message })
    expect(tried).toEqual([])
  })
})
