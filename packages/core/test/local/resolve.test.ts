import { LauncherFailed, startFirst } from '@isotherm/core/local'
import { IsothermError } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { type EngineLauncher } from '../../src/local/resolve.js'

type Name = 'first' | 'second' | 'third'

function start(
  launchers: Partial<Record<Name, () => Promise<string>>>,
  requested?: readonly Name[],
): Promise<{ engine?: string; error?: IsothermError; tried: Name[] }> {
  const tried: Name[] = []
  const launcher = (name: Name): EngineLauncher<Name, string> => ({
    name,
    start: () => {
      tried.push(name)
      return launchers[name]?.() ?? Promise.reject(new LauncherFailed(`${name} is away.`))
    },
  })
  return startFirst({
    engine: 'test engine',
    launchers: [launcher('first'), launcher('second'), launcher('third')],
    requested,
    fix: 'Buy one.',
  }).then(
    (engine) => ({ engine, tried }),
    (error: unknown) => {
      if (!(error instanceof IsothermError)) throw error
      return { error, tried }
    },
  )
}

describe('startFirst()', () => {
  it('uses the first launcher that works, and does not try later launchers', async () => {
    const outcome = await start({ second: async () => 'engine 2' })
    expect(outcome).toEqual({ engine: 'engine 2', tried: ['first', 'second'] })
  })

  it('tries only the given launchers, in their order', async () => {
    const outcome = await start({ first: async () => 'engine 1' }, ['third', 'first'])
    expect(outcome).toEqual({ engine: 'engine 1', tried: ['third', 'first'] })
  })

  it('reports every launcher with its error when no launcher works', async () => {
    const { error } = await start({ second: () => Promise.reject(new Error('bang')) }, ['first', 'second'])
    expect(error?.code).toBe('ENGINE_UNAVAILABLE')
    expect(error?.message).toBe(
      [
        'No test engine is available:',
        '  - first: first is away.',
        '  - second: bang',
        '  - third: not asked for (launchers: first, second).',
        'To fix it: Buy one.',
      ].join('\n'),
    )
    expect(error?.cause).toBeInstanceOf(AggregateError)
  })

  it('does not try the next launcher after the final failure of a configured launcher', async () => {
    const away = new LauncherFailed('its setting is wrong.', { final: true })
    const { error, tried } = await start({
      first: () => Promise.reject(away),
      second: async () => 'engine 2',
    })
    expect(tried).toEqual(['first'])
    expect(error?.cause).toBe(away)
    expect(error?.message).toContain('  - first: its setting is wrong.')
    expect(error?.message).toContain('  - second: not tried, because of the error above.')
  })

  it('rejects with the IsothermError of a launcher, and does not try later launchers', async () => {
    const cancelled = new IsothermError('CANCELLED', 'Enough.')
    const { error, tried } = await start({ first: () => Promise.reject(cancelled) })
    expect(error).toBe(cancelled)
    expect(tried).toEqual(['first'])
  })

  it.each([
    { requested: [], message: 'The list of launchers is empty. Name one or more of: first, second, third.' },
    {
      requested: ['fourth' as Name],
      message: 'There is no launcher "fourth". Name one or more of: first, second, third.',
    },
  ])('rejects the list of launchers $requested', async ({ requested, message }) => {
    const { error, tried } = await start({}, requested)
    expect(error).toMatchObject({ code: 'INVALID_VALUE', message })
    expect(tried).toEqual([])
  })
})
