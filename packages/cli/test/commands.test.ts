import { describe, expect, it } from 'vitest'
import { commands } from '../src/commands/index.js'
import { buildProgram, type Invocation } from '../src/program.js'

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
    expect(parse('lint', '--dialect', 'googlesql').options).toMatchObject({ dialect: 'googlesql' })
    expect(() => parse('lint', '--dialect', 'mysql')).toThrow(
      'It is one of googlesql, spanner-postgresql, cql.',
    )
  })

  it('that may be repeated and have choices are checked each time', () => {
    const engines = ['--engine', 'spanner', '--engine', 'keyspaces']
    expect(parse('shards', ...engines).options).toMatchObject({ engine: ['spanner', 'keyspaces'] })
    expect(() => parse('shards', ...engines, '--engine', 'mysql')).toThrow('It is one of keyspaces,')
  })

  it('that are misspelt are put right', () => {
    expect(() => parse('lint', '--jsn')).toThrow('(Did you mean --json?)')
    expect(() => parse('lnt')).toThrow('(Did you mean lint?)')
  })

  it('take no more arguments than there are', () => {
    expect(() => parse('lint', 'a.sql', 'b.sql')).toThrow(/too many arguments/)
  })
})
