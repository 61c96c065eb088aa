// Values as TypeScript writes them. All text of a database becomes a literal, so that it cannot end a string or a comment.
// The layout is one that formatters leave unchanged.

/** Code that is written unchanged: made by the command, never from text of a database. */
export class Code {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A call as a value: `sql({ … })`. */
export class Called {
  readonly name: string
  readonly args: readonly Value[]

  constructor(name: string, ...args: readonly Value[]) {
    this.name = name
    this.args = args
  }
}

export type Value = string | number | bigint | boolean | Code | Called | readonly Value[] | ValueRecord
export interface ValueRecord {
  readonly [name: string]: Value | undefined
}

export const WIDTH = 110

/** Formatters keep a long text on the line of a key as short as this, and put it below a longer one. */
const SHORT_KEY = 4

const ES5_IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/
// Control characters, lone surrogates, line separators and direction marks: written as escapes.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const SHORT = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function escaped(character: string): string {
  const short = SHORT.get(character)
  if (short !== undefined) return short
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
}

/** A literal in single quotes, or in double ones if that takes fewer backslashes. */
export function stringLiteral(text: string): string {
  const count = (quote: string): number => text.split(quote).length - 1
  const quote = count("'") > count('"') ? '"' : "'"
  const inner = text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replace(UNPRINTABLE, escaped)
  return `${quote}${inner}${quote}`
}

/** A text of several lines, with its lines as they are. */
export function templateLiteral(text: string): string {
  const inner = text
    .replaceAll('\\', '\\\\')
    .replaceAll('`', '\\`')
    .replaceAll('${', '\\${')
    .replace(UNPRINTABLE, (character) => (character === '\n' ? character : escaped(character)))
  return `\`${inner}\``
}

export function propertyName(name: string): string {
  // In an object literal this name is not a property: it sets the prototype.
  if (name === '__proto__') return "['__proto__']"
  return ES5_IDENTIFIER.test(name) ? name : stringLiteral(name)
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

function isRecord(value: Value): value is ValueRecord {
  return typeof value === 'object' && !(value instanceof Code) && !(value instanceof Called) && !isList(value)
}

function entriesOf(record: ValueRecord): [string, Value][] {
  return Object.entries(record).flatMap(([name, value]): [string, Value][] =>
    value === undefined ? [] : [[name, value]],
  )
}

function isLong(text: string): boolean {
  return text.includes('\n')
}

/** The whole value in one line; undefined if it takes several. */
function flat(value: Value): string | undefined {
  if (value instanceof Code) return isLong(value.text) ? undefined : value.text
  if (typeof value === 'string') return isLong(value) ? undefined : stringLiteral(value)
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Called) {
    const args = value.args.map(flat)
    return args.includes(undefined) ? undefined : `${value.name}(${args.join(', ')})`
  }
  if (isList(value)) {
    if (isTable(value)) return undefined
    const parts = value.map(flat)
    return parts.includes(undefined) ? undefined : `[${parts.join(', ')}]`
  }
  if (isRecord(value)) {
    const parts = entriesOf(value).map(([name, each]) => [propertyName(name), flat(each)])
    if (parts.some(([, text]) => text === undefined)) return undefined
    return parts.length === 0 ? '{}' : `{ ${parts.map((part) => part.join(': ')).join(', ')} }`
  }
  // Formatters remove the plus of an exponent.
  return String(value).replace('e+', 'e')
}

/** Formatters give each of several objects a line of its own. */
function isTable(value: readonly Value[]): boolean {
  return value.length > 1 && value.every((each) => isRecord(each) && entriesOf(each).length > 1)
}

/** The position of a text: the indentation of its line, and how much of the line is used before and after it. */
export interface LinePosition {
  readonly indent: number
  readonly used: number
  readonly after: number
}

export function fits(text: string, { used, after }: Omit<LinePosition, 'indent'>): boolean {
  return used + text.length + after <= WIDTH
}

/** A value in as few lines as fit. */
export function literal(value: Value, position: LinePosition): string {
  const line = flat(value)
  if (line !== undefined && fits(line, position)) return line
  if (isList(value))
    return lines(
      '[',
      value.map((each) => item(each, position.indent)),
      ']',
      position.indent,
    )
  if (isRecord(value))
    return lines(
      '{',
      entriesOf(value).map((each) => property(each, position.indent + 2)),
      '}',
      position.indent,
    )
  if (value instanceof Called) return call(value.name, value.args, position)
  if (value instanceof Code) return value.text
  if (typeof value === 'string' && isLong(value)) return templateLiteral(value)
  return line ?? ''
}

function item(value: Value, indent: number): string {
  return literal(value, { indent: indent + 2, used: indent + 2, after: 1 })
}

function property([name, value]: [string, Value], indent: number): string {
  const key = propertyName(name)
  const position = { indent, used: indent + key.length + 2, after: 1 }
  const text = literal(value, position)
  const tooLong =
    typeof value === 'string' && !isLong(value) && !fits(text, position) && key.length > SHORT_KEY
  return tooLong ? `${key}:\n${' '.repeat(indent + 2)}${text}` : `${key}: ${text}`
}

export function lines(open: string, items: readonly string[], close: string, indent: number): string {
  const pad = ' '.repeat(indent)
  return [open, ...items.map((each) => `${pad}  ${each},`), `${pad}${close}`].join('\n')
}

/** `name(…)`: in one line, or with the last argument spread out, or each argument in lines of its own. */
export function call(name: string, args: readonly Value[], position: LinePosition): string {
  const flats = args.map(flat)
  const line = flats.includes(undefined) ? undefined : `${name}(${flats.join(', ')})`
  if (line !== undefined && fits(line, position)) return line
  const last = args.at(-1)
  // A single argument of several lines needs no lines of its own around it.
  if (args.length === 1 && last instanceof Code && isLong(last.text)) return `${name}(${last.text})`
  const before = flats.slice(0, -1)
  const head = `${name}(${before.map((each) => `${each}, `).join('')}`
  const spreads = last !== undefined && isSpread(last)
  const sameKind =
    args.length > 1 && spreads && isSpread(args.at(-2)!) && isList(args.at(-2)!) === isList(last)
  if (spreads && !sameKind && !before.includes(undefined) && fits(head, { used: position.used, after: 1 })) {
    return `${head}${literal(last, { ...position, used: WIDTH })})`
  }
  return lines(
    `${name}(`,
    args.map((each) => item(each, position.indent)),
    ')',
    position.indent,
  )
}

function isSpread(value: Value): boolean {
  return isList(value) || isRecord(value)
}

const LINE_END = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu

/** A comment of as many lines as it takes, whatever the text holds. */
export function comment(text: string, indent = 0): string[] {
  const pad = `${' '.repeat(indent)}//`
  const words = text.replace(LINE_END, ' ').trim().split(' ')
  const wrapped: string[] = []
  for (const word of words) {
    const line = wrapped.at(-1)
    if (line !== undefined && line.length + word.length + 1 <= WIDTH)
      wrapped[wrapped.length - 1] = `${line} ${word}`
    else wrapped.push(`${pad} ${word}`)
  }
  return wrapped
}

/** The imports of a file, collected while its code is written. */
export class Imports {
  readonly #names = new Map<string, Set<string>>()

  add(from: string, ...names: readonly string[]): void {
    const known = this.#names.get(from) ?? new Set()
    for (const name of names) known.add(name)
    this.#names.set(from, known)
  }

  /** Packages before files, values before types. */
  toString(): string {
    const sorted = [...this.#names].toSorted(
      ([a], [b]) => Number(isFile(a)) - Number(isFile(b)) || order(a, b),
    )
    return sorted
      .map(([from, names]) => {
        const list = [...names].toSorted((a, b) => Number(isType(a)) - Number(isType(b)) || order(a, b))
        const line = `import { ${list.join(', ')} } from '${from}'`
        return list.length === 1 || fits(line, { used: 0, after: 0 })
          ? line
          : `import ${lines('{', list, '}', 0)} from '${from}'`
      })
      .join('\n')
  }
}

function isFile(from: string): boolean {
  return from.startsWith('.')
}

function isType(name: string): boolean {
  return name.startsWith('type ')
}

function order(a: string, b: string): number {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  return x < y ? -1 : x > y ? 1 : a < b ? -1 : 1
}

/** The specifier of one file of the models in another: `../order.js`. */
export function specifier(from: string, to: string): string {
  const folder = from.split('/').slice(0, -1)
  const target = to.split('/')
  const shared = folder.length > 0 && folder[0] === target[0]
  if (shared) return `./${target.slice(1).join('/')}.js`
  return folder.length > 0 ? `../${to}.js` : `./${to}.js`
}

/** A file that is written for a database. */
export interface ModelFile {
  /** From the folder of the models, with slashes: `sales/order.ts`. */
  readonly path: string
  readonly text: string
}
