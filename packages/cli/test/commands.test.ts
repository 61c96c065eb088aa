import { describe, expect, it } from 'vitest'
import { commands as definitions } from '../src/commands/index.js'
import { installedEngines } from '../src/config/engines.js'
import { listedEngines } from '../src/engines.js'
import { buildProgram, type Invocation, withOptions } from '../src/run.js'

const { engines } = await installedEngines(listedEngines)
const commands = definitions.map((each) =>
  withOptions(
    each,
    engines.map(({ command }) => command),
  ),
)

function parse(...argv: string[]): Invocation {
  let invocation: Invocation | undefined
  const program = buildProgram(commands, '1.2.3', (called) => {
    invocation = called
  })
  program.parse(argv, { from: 'user' })
  return invocation!
}

describe.each(commands)('$name', (definition) => {
  const { name, options, examples, summary, description } = definition

  it('has examples that can be called', () => {
    expect(examples.length).toBeGreaterThan(0)
    for (const { command } of examples) {
      const [program, ...words] = [...command.matchAll(/'[^']*'|\S+/g)].map(([word]) =>
        word.replaceAll("'", ''),
      )
      expect(program).toBe('isotherm')
      expect(parse(...words).definition).toBe(definition)
    }
  })

  it('prints JSON, goes without colours and shows where errors come from if asked', () => {
    expect(options.map(({ flags }) => flags)).toEqual(
      expect.arrayContaining(['--json', '--no-color', '--verbose']),
    )
  })

  it('says in a few words what it does, and in sentences how', () => {
    expect(summary).toMatch(/^[a-z].*[^.]$/)
    expect(summary.length).toBeLessThan(70)
    expect(description).toMatch(/^[A-Z][^]*\.$/)
    expect(name).toMatch(/^[a-z]+$/)
  })

  it('has no option twice', () => {
    const flags = options.flatMap((option) => option.flags.match(/--?[a-z-]+/g) ?? [])
    expect(new Set(flags).size).toBe(flags.length)
  })
})

describe('options', () => {
  it('that may be repeated are lists', () => {
    expect(parse('lint', '--schema', 'a.ts', '--schema', 'b.ts').options).toMatchObject({
      schema: ['a.ts', 'b.ts'],
    })
  })

  it('with choices take no other', () => {
    expect(parse('init', '--style', 'tables').options).toMatchObject({ style: 'tables' })
    expect(() => parse('init', '--style', 'class')).toThrow('It is one of decorators, tables, drizzle.')
  })

  it('whose choices the configuration may know are not checked before it is read', () => {
    expect(parse('lint', '--dialect', 'mine').options).toMatchObject({ dialect: 'mine' })
  })

  it.each(commands)('of $name that take one value are refused a second time', ({ name, options }) => {
    const single = options.filter(({ flags, repeatable }) => flags.includes('<') && !repeatable)
    expect(single.length).toBeGreaterThan(0)
    for (const { flags, choices = ['a', 'b'] } of single) {
      const [flag = ''] = /--[a-z-]+/.exec(flags) ?? []
      const [one = '', other = one] = choices
      expect(() => parse(name, flag, one, flag, other)).toThrow(
        `It has the value "${one}" already. Give ${flag} once.`,
      )
    }
  })

  it('that may be repeated and have choices are checked each time', () => {
    const modes = ['--mode', 'sync', '--mode', 'native']
    expect(parse('bench', 'sequences', ...modes).options).toMatchObject({ mode: ['sync', 'native'] })
    expect(() => parse('bench', 'sequences', ...modes, '--mode', 'fast')).toThrow('It is one of sync,')
  })

  it('that are misspelt are put right', () => {
    expect(() => parse('lint', '--jsn')).toThrow('(Did you mean --json?)')
    expect(() => parse('lnt')).toThrow('(Did you mean lint?)')
  })

  it('take no more arguments than there are', () => {
    expect(() => parse('lint', 'a.sql', 'b.sql')).toThrow(/too many arguments/)
  })
})
