import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { call, Code, comment, literal, WIDTH, type Value } from '../../src/pull/source/source-text.js'

const START = { indent: 0, used: 0, after: 0 }

/** The value to which JavaScript evaluates a literal. */
function evaluated(value: Value): unknown {
  return structuredClone(runInNewContext(`(${literal(value, START)})`))
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom("'", '"', '`', '\\', '$', '{', '}', '\n', '\r', '\u2028', 'n', 'u', '0'),
  }),
)

const values: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.bigInt(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

describe('literal()', () => {
  it('writes source text that evaluates to the original value', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(evaluated(value)).toEqual(value)
      }),
      { numRuns: 2_000 },
    )
  })

  it('writes the property name __proto__ as a computed key', () => {
    expect(literal({ ['__proto__']: 'x' }, START)).toBe("{ ['__proto__']: 'x' }")
  })

  it('omits properties that are undefined', () => {
    expect(literal({ a: undefined, b: [new Code('() => Parent')] }, START)).toBe('{ b: [() => Parent] }')
  })

  it('breaks a literal or a call over several lines when the line would be too long', () => {
    const on = Array.from({ length: 12 }, (_, at) => `property${at}`)
    expect(literal({ on }, START)).toBe(
      ['{', '  on: [', ...on.map((each) => `    '${each}',`), '  ],', '}'].join('\n'),
    )
    expect(call('@Index', [{ name: 'x'.repeat(WIDTH - 20), unique: true }], START)).toBe(
      ['@Index({', `  name: '${'x'.repeat(WIDTH - 20)}',`, '  unique: true,', '})'].join('\n'),
    )
  })
})

describe('comment()', () => {
  it('writes only comment lines, wrapped at the maximum line width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\u2028', '\u2029', '\t', 'x', '*/', '//') }),
        (said) => {
          for (const line of comment(said, 2)) expect(line).toMatch(/^ {2}\/\/[^\n\r\u2028\u2029]*$/)
        },
      ),
    )
    const lines = comment('many words '.repeat(50), 4)
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(WIDTH)
    expect(lines.map((line) => line.replace('    // ', '')).join(' ')).toBe('many words '.repeat(50).trim())
  })
})
