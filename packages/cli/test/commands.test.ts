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

  it('each command has examples that the command-line parser accepts', () => {
    expect(examples.length).toBeGreaterThan(0)
    for (const { command } of examples) {
      const [program, ...words] = [...command.matchAll(/'[^']*'|\S+/g)].map(([word]) =>
        word.replaceAll("'", ''),
      )
      expect(program).toBe('isotherm')
      expect(parse(...words).definition).toBe(definition)
    }
  })

  it('each command has the options --json, --no-color and --verbose', () => {
    expect(options.map(({ flags }) => flags)).toEqual(
      expect.arrayContaining(['--json', '--no-color', '--verbose']),
    )
  })

  it('each command has a short summary and a description in full sentences', () => {
    expect(summary).toMatch(/^[a-z].*[^.]$/)
    expect(summary.length).toBeLessThan(70)
    expect(description).toMatch(/^[A-Z][^]*\.$/)
    expect(name).toMatch(/^[a-z]+$/)
  })

  it('each command declares each flag only once', () => {
    const flags = options.flatMap((option) => option.flags.match(/--?[a-z-]+/g) ?? [])
    expect(new Set(flags).size).toBe(flags.length)
  })
})

describe('command-line options', () => {
  it('repeated options collect their values into a list', () => {
    expect(parse('lint', '--schema', 'a.ts', '--schema', 'b.ts').options).toMatchObject({
      schema: ['a.ts', 'b.ts'],
    })
  })

  it('an option with choices accepts no other value', () => {
    expect(parse('init', '--style', 'tables').options).toMatchObject({ style: 'tables' })
    expect(() => parse('init', '--style', 'class')).toThrow('It is one of decorators, tables, drizzle.')
  })

  it('--dialect accepts an unlisted value before the configuration is read', () => {
    expect(parse('lint', '--dialect', 'mine').options).toMatchObject({ dialect: 'mine' })
  })

  it.each(commands)('options of $name that take one value reject a second value', ({ name, options }) => {
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

  it('a repeated option checks each value against its choices', () => {
    const modes = ['--mode', 'sync', '--mode', 'native']
    expect(parse('bench', 'sequences', ...modes).options).toMatchObject({ mode: ['sync', 'native'] })
    expect(() => parse('bench', 'sequences', ...modes, '--mode', 'fast')).toThrow('It is one of sync,')
  })

  it('the parser suggests the nearest option or command for a misspelt word', () => {
    expect(() => parse('lint', '--jsn')).toThrow('(Did you mean --json?)')
    expect(() => parse('lnt')).toThrow('(Did you mean lint?)')
  })

  it('commands reject more arguments than the declared number', () => {
    expect(() => parse('lint', 'a.sql', 'b.sql')).toThrow(/too many arguments/)
  })
})
