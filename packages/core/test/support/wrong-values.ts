import { IsothermError } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'

// Tests that pass each kind of wrong value to public functions, and the pages of docs/reference that list their errors.

class Settings {
  readonly dialect = googlesql
}

function throwing(): never {
  throw new RangeError('raw')
}

function deep(): unknown {
  let value: unknown = {}
  for (let level = 0; level < 20_000; level++) value = { of: value, kind: 'array' }
  return value
}

export const WRONG: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  'a number': () => -0.5,
  NaN: () => Number.NaN,
  'a text': () => 'bogus',
  'a long text': () => 'x'.repeat(100_000),
  'a symbol': () => Symbol('bogus'),
  'a list': () => [null],
  'a sparse list': () => Object.assign(new Array(2), { 1: 1 }),
  'an object': () => ({ bogus: 1 }),
  'an instance of a class': () => new Settings(),
  'a getter that throws': () => ({
    get dialect() {
      return throwing()
    },
    get driver() {
      return throwing()
    },
  }),
  'a proxy that throws': () =>
    new Proxy(
      {},
      {
        get: throwing,
        has: throwing,
        ownKeys: throwing,
        getOwnPropertyDescriptor: throwing,
        getPrototypeOf: throwing,
      },
    ),
  'a deep object': deep,
  'an async function': () => async () => {},
}

export type Call = (wrong: never) => unknown

/** What a function is called with: by its name, then by the argument that is wrong. */
export type Calls = Readonly<Record<string, Readonly<Record<string, Call>>>>

export interface Entry {
  readonly title: string
  /** Every function that it has. */
  readonly names: readonly string[]
  readonly functions: Calls
  /** Functions that are tested in another entry, that have no arguments, or that applications do not call. */
  readonly others?: readonly string[]
  /** Whether they read rows, keys or filters. */
  readonly reads?: true
}

export const methodsOf = (type: { readonly prototype: object }): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(type.prototype))
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
    .map(([name]) => name)

/** Without the values of types, such as `Generated`: each is `Object`. */
export const functionsOf = (module: object): string[] =>
  Object.entries(module)
    .filter(([, value]) => typeof value === 'function' && value !== Object)
    .map(([name]) => name)

/**
 * The code of the error; `taken` where there is none; the error itself where it is not one of Isotherm's. Rows, keys and filters
 * are read as they are: what their own getters throw is `its own`.
 */
async function verdict(call: Call, wrong: () => unknown, isRead: boolean): Promise<unknown> {
  try {
    await call(wrong() as never)
  } catch (error) {
    if (isRead && error instanceof RangeError && error.message === 'raw') return 'its own'
    return error instanceof IsothermError ? error.code : error
  }
  return 'taken'
}

/** A function more that has no row fails. */
export function testEntries(entries: readonly Entry[]): void {
  describe.each(entries)('$title', ({ names, functions, others = [], reads = false }) => {
    it('every function has test cases in this file', () => {
      expect([...Object.keys(functions), ...others].toSorted()).toEqual(names.toSorted())
    })

    const calls = Object.entries(functions).flatMap(([name, argumentsOf]) =>
      Object.entries(argumentsOf).map(([argument, call]) => [`${name}: ${argument}`, call] as const),
    )
    it.each(calls)('throws an IsothermError or accepts each kind of wrong value: %s', async (_, call) => {
      const raw: [string, unknown][] = []
      for (const [kind, wrong] of Object.entries(WRONG)) {
        const said = await verdict(call, wrong, reads)
        if (typeof said !== 'string') raw.push([kind, said])
      }
      expect(raw).toEqual([])
    })
  })
}

/** A row of the page: which error for which kinds of wrong values. */
async function rowOf(name: string, argument: string, call: Call, reads: boolean): Promise<string> {
  const kinds = new Map<string, string[]>()
  for (const [kind, wrong] of Object.entries(WRONG)) {
    const code = String(await verdict(call, wrong, reads))
    kinds.set(code, [...(kinds.get(code) ?? []), kind])
  }
  const [[usual], ...others] = [...kinds].toSorted(([, a], [, b]) => b.length - a.length) as [
    [string],
    ...[string, string[]][],
  ]
  const cell = others.map(([code, of]) => `${word(code)} for ${of.join(', ')}`)
  return `| \`${name}\` | ${argument} | ${[word(usual), ...cell].join('; ')} |`
}

const word = (code: string): string => (code === 'taken' || code === 'its own' ? code : `\`${code}\``)

interface Page {
  /** Of docs/reference. */
  readonly page: string
  readonly title: string
  readonly writtenBy: string
  readonly says: readonly string[]
}

export function testPage(entries: readonly Entry[], { page, title, writtenBy, says }: Page): void {
  it(`docs/reference/${page} lists the current errors (update with vitest -u)`, async () => {
    const rows: string[] = []
    for (const { title: of, functions, reads = false } of entries) {
      rows.push('', `## ${of}`, '', '| function | argument | error |', '| --- | --- | --- |')
      for (const [name, argumentsOf] of Object.entries(functions))
        for (const [argument, call] of Object.entries(argumentsOf))
          rows.push(await rowOf(name, argument, call, reads))
    }
    const lines = [
      `# ${title}`,
      '',
      `<!-- Written by ${writtenBy}: npx vitest run --project unit ${writtenBy} -u -->`,
      '',
      ...says,
      'The first error is that of every kind of value which is not named after it; *taken* is a value that is accepted there,',
      'such as `undefined` for an option that is left out; *its own* is what a getter of the value itself throws, since rows, keys and',
      `filters are read as they are. The kinds are ${Object.keys(WRONG).join(', ')}.`,
      ...rows,
      '',
    ]
    await expect(lines.join('\n')).toMatchFileSnapshot(`../../../docs/reference/${page}`)
  })
}
