import leven from 'leven'
import { IsothermError, type IsothermErrorCode, shown } from './errors.js'

// The allowed options of each function, declared as data once for each function, and checked where a call comes in: once
// per call, never per row.

/** The kind of an option. */
export interface Kind {
  /** What to do where it is missing or wrong: `Give a whole number from 1 to 10000.` A function: it depends on the value. */
  readonly message: string | ((value: unknown) => string)
  readonly required?: true
  readonly isSecret?: true
  /** @returns what is wrong with a value that is at a path; nothing where it is of this kind */
  check(value: unknown, path: string): readonly Found[]
}

/** One thing that is wrong with an options object. */
export interface OptionMistake {
  /** `indexes[0].colums`; empty for the options object itself. */
  readonly path: string
  /** A sentence that begins with the path: `indexes[0].unique is 'yes'.` */
  readonly message: string
  readonly fix: string
  /** The paths of all names that are unknown in the same object, where the mistake is that; `path` is the first of them. */
  readonly unknown?: readonly string[]
}

/** A mistake whose message is not made yet: of a value that may be of several kinds, most are not mistakes in the end. */
interface Found extends Pick<OptionMistake, 'path' | 'fix' | 'unknown'> {
  says(show: (value: unknown) => string): string
  /** Whether it says no more than that the value is of another kind. */
  readonly isKind?: true
}

type NamesOf<Options> = Options extends unknown ? keyof Options : never

/**
 * The kind of every option: the compiler refuses a description that leaves one out. Of a union, the options of all members.
 *
 * @example
 * const LIST_OPTIONS: OptionKinds<ListOptions> = {
 *   limit: wholeNumber(1, 1000),
 *   order: oneOf('asc', 'desc'),
 *   columns: distinct(listOf(text("'name'"))),
 * }
 */
export type OptionKinds<Options> = { readonly [Name in NamesOf<Options> & string]: Kind }

/** A kind that one test decides. @param expected in words that follow "Give": `a function`; or what makes them of the value */
export function kind(
  expected: string | ((value: unknown) => string),
  accepts: (value: unknown) => boolean,
): Kind {
  return tested(
    typeof expected === 'string' ? `Give ${expected}.` : (value) => `Give ${expected(value)}.`,
    accepts,
  )
}

function tested(message: Kind['message'], accepts: (value: unknown) => boolean): Kind {
  return {
    message,
    check: (value, path) => (accepts(value) ? NOTHING : [otherKind(value, path, fixFor(message, value))]),
  }
}

const NOTHING: readonly Found[] = []

function fixFor(message: Kind['message'], value: unknown): string {
  return typeof message === 'string' ? message : message(value)
}

function otherKind(value: unknown, path: string, fix: string): Found {
  return { path, says: (show) => `${path || WHOLE} is ${show(value)}.`, fix, isKind: true }
}

export const flag: Kind = /* @__PURE__ */ kind('true or false', (value) => typeof value === 'boolean')

export const callback: Kind = /* @__PURE__ */ kind('a function', (value) => typeof value === 'function')

export const number: Kind = /* @__PURE__ */ kind('a number', (value) => typeof value === 'number')

export const bigint: Kind = /* @__PURE__ */ kind('a bigint, such as 1n', (value) => typeof value === 'bigint')

/** An option that another part of Isotherm checks. */
export const anything: Kind = { message: () => 'Give a value.', check: () => NOTHING }

/** @param example how one is written in code, with its quotes */
export function text(example: string): Kind {
  return kind(`a text, such as ${example}`, (value) => typeof value === 'string')
}

export function wholeNumber(min: number, max?: number): Kind {
  return kind(
    `a whole number from ${min}${max === undefined ? '' : ` to ${max}`}`,
    (value) => Number.isSafeInteger(value) && isBetween(value as number, min, max),
  )
}

function isBetween(value: number, min: number, max = Infinity): boolean {
  return min <= value && value <= max
}

/** A finite number, from `min` on. @param what `a number of milliseconds` */
export function numberFrom(min: number, what = 'a number'): Kind {
  return kind(`${what} from ${min}`, (value) => Number.isFinite(value) && isBetween(value as number, min))
}

export function oneOf(...values: readonly (string | number | boolean)[]): Kind {
  const texts = values.filter((each) => typeof each === 'string')
  const fix = `Give ${values.length === 1 ? '' : 'one of '}${values.map(shown).join(', ')}.`
  const fixOf = (value: unknown): string => {
    const near = typeof value === 'string' ? nearName(value, texts) : undefined
    return near === undefined ? fix : `Did you mean ${shown(near)}? ${fix}`
  }
  return tested(fixOf, (value) => values.includes(value as string))
}

/** An object with methods, such as a driver or an `AbortSignal`: of any class. */
export function objectWith(what: string, ...methods: readonly string[]): Kind {
  return kind(
    what,
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function'),
  )
}

/** The first kind that takes a value decides. */
export function either(expected: string, ...kinds: readonly Kind[]): Kind {
  const fix = `Give ${expected}.`
  return {
    message: fix,
    check(value, path) {
      const found: Found[] = []
      for (const each of kinds) {
        const mistakes = each.check(value, path)
        if (mistakes.length === 0) return NOTHING
        for (const mistake of mistakes) found.push(mistake)
      }
      // A mistake within an object or a list is more specific than the error that no kind matches; and a name that is
      // misspelled explains why another is missing.
      const inner = found.filter(({ isKind, path: at }) => !isKind || at !== path)
      return [inner.find(({ unknown }) => unknown) ?? inner[0] ?? otherKind(value, path, fix)]
    },
  }
}

/** @param expected with an example, such as `[1, 2]`, where `[…]` would not tell enough */
export function listOf(item: Kind, expected = 'a list'): Kind {
  const hasExample = /[[{]/.test(expected)
  const fix = `Give ${expected}${hasExample ? '' : ': […]'}.`
  return {
    message: fix,
    check: (value, path) =>
      Array.isArray(value)
        ? Array.from(value, (each: unknown, at) => item.check(each, `${path}[${at}]`)).flat()
        : [otherKind(value, path, fix)],
  }
}

/** A list that names nothing twice. */
export function distinct(list: Kind): Kind {
  return {
    ...list,
    check(value, path) {
      const mistakes = list.check(value, path)
      if (mistakes.length > 0) return mistakes
      const seen = new Set<unknown>()
      for (const item of value as readonly unknown[]) {
        if (seen.has(item))
          return [{ path, says: (show) => `${path} has ${show(item)} twice.`, fix: 'Name it once.' }]
        seen.add(item)
      }
      return NOTHING
    },
  }
}

/** A plain object whose names are free. */
export function recordOf(item: Kind, expected = 'an object'): Kind {
  return plain(expected, (record, path) =>
    Object.keys(record).flatMap((name) => checkMember(item, record, name, path)),
  )
}

/** A plain object with options of its own. */
export function options(kinds: Readonly<Record<string, Kind>>, expected = 'an object'): Kind {
  const names = Object.keys(kinds)
  const entries = Object.entries(kinds)
  const holdsSecret = Object.values(kinds).some(({ isSecret }) => isSecret)
  const check = (object: PlainObject, path: string): readonly Found[] => {
    const mistakes: Found[] = []
    for (const [name, each] of entries)
      if (each.required || own(object, name) !== undefined)
        for (const mistake of checkMember(each, object, name, path)) mistakes.push(mistake)
    const unknown = Object.keys(object).filter((name) => !Object.hasOwn(kinds, name))
    if (unknown.length === 0) return mistakes
    const paths = unknown.map((name) => joinedName(path, name))
    return [...mistakes, unknownNames(paths, chooseFrom(unknown, names))]
  }
  return plain(expected, check, holdsSecret)
}

type PlainObject = Readonly<Record<string, unknown>>

function own(object: PlainObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function checkMember(kind: Kind, object: PlainObject, name: string, within: string): readonly Found[] {
  const path = joinedName(within, name)
  const value = own(object, name)
  const mistakes = Object.hasOwn(object, name)
    ? kind.check(value, path)
    : [otherKind(value, path, fixFor(kind.message, value))]
  return value === undefined
    ? mistakes.map(({ fix }) => ({ path, says: () => `${path} is missing.`, fix }))
    : mistakes
}

/** @param paths of all that are unknown in one object */
function unknownNames(paths: readonly string[], fix: string): Found {
  const are = paths.length === 1 ? 'is not an option' : 'are not options'
  return { path: paths[0] ?? '', says: () => `${enumerated(paths)} ${are}.`, fix, unknown: paths }
}

/**
 * A plain object that is one of several: the first name of each tells which one it is.
 *
 * @example alternatives("{ file } or { url }", { file: text("'a.txt'") }, { url: text("'https://…'"), retries: number })
 */
export function alternatives(expected: string, ...members: readonly Readonly<Record<string, Kind>>[]): Kind {
  const all: Readonly<Record<string, Kind>> = Object.assign({}, ...members)
  const known = members.map((own) => {
    const [first] = Object.keys(own) as [string]
    const others = Object.keys(all).filter((name) => !(name in own))
    const excluded = others.map((name) => [
      name,
      leaveOut(`Leave out ${first} or ${name}: they exclude each other.`),
    ])
    return { first, kind: options({ ...own, ...Object.fromEntries(excluded) }, expected) }
  })
  const none = kind(expected, () => false)
  const unknown = options(all, expected)
  return dependingOn(expected, (value) => {
    if (typeof value !== 'object' || value === null) return none
    const found = known.find(({ first }) => (value as Readonly<Record<string, unknown>>)[first] !== undefined)
    if (found) return found.kind
    return Object.keys(value).every((name) => name in all) ? none : unknown
  })
}

/** An option that has no meaning together with another one: only `undefined` is allowed. @param fix what to do */
export function leaveOut(fix: string): Kind {
  return tested(fix, () => false)
}

/** A kind that depends on the value, such as one that holds values of its own kind. */
export function dependingOn(expected: string, kindOf: (value: unknown) => Kind): Kind {
  return { message: `Give ${expected}.`, check: (value, path) => kindOf(value).check(value, path) }
}

/** A kind whose values do not appear in messages: an error about a secret key, for example, names only its type. */
export function secret(kind: Kind): Kind {
  return {
    ...kind,
    isSecret: true,
    check: (value, path) => kind.check(value, path).map(hidden),
  }
}

function hidden(found: Found): Found {
  return { ...found, says: () => found.says(descriptionOf) }
}

/** An option that has to be given. */
export function required(kind: Kind): Kind {
  return { ...kind, required: true }
}

/**
 * Everything that is wrong with an options object, up to twenty mistakes: unknown names (one mistake for all of an object),
 * values of another kind, missing options. An option that is present with `undefined` counts as left out, as in TypeScript
 * without `exactOptionalPropertyTypes`; an unknown name is a mistake whatever its value. Only plain objects are accepted:
 * inherited properties and getters might return different values the next time. Never throws.
 *
 * @param options `undefined` if the caller passed none
 */
export function optionMistakes(
  kinds: Readonly<Record<string, Kind>>,
  options: unknown,
): readonly OptionMistake[] {
  return mistakesOf(optionsOf(kinds), options === undefined ? {} : options, '')
}

/**
 * The same for a declaration of a model, where an option that is given as `undefined` is a mistake too: whatever it was
 * computed from is not there, and a default in its stead would become a migration. Never throws.
 *
 * @param path of the options: `indexes[0]`
 * @example
 * declarationMistakes(LENGTH, { length: limits.max }) // length is undefined. Leave length out, or give a whole number from 1 …
 */
export function declarationMistakes(
  kinds: Readonly<Record<string, Kind>>,
  options: unknown,
  path = '',
): readonly OptionMistake[] {
  const mistakes = mistakesOf(optionsOf(kinds), options === undefined ? {} : options, path)
  const unknown = new Set(mistakes.flatMap((mistake) => mistake.unknown ?? []))
  return [...mistakes, ...undefinedOptions(options, path, kinds).filter((each) => !unknown.has(each.path))]
}

function undefinedOptions(
  options: unknown,
  within: string,
  kinds: Readonly<Record<string, Kind>>,
): readonly OptionMistake[] {
  try {
    if (!isPlainObject(options)) return []
    return Object.entries(Object.getOwnPropertyDescriptors(options)).flatMap(([name, property]) => {
      const { message, required } = Object.hasOwn(kinds, name) ? kinds[name]! : ({} as Partial<Kind>)
      // What is required and undefined is missing already.
      if (required || !('value' in property) || property.value !== undefined) return []
      const path = joinedName(within, name)
      const instead = typeof message === 'string' ? `, or g${message.slice(1)}` : '.'
      return [{ path, message: `${path} is undefined.`, fix: `Leave ${path} out${instead}` }]
    })
  } catch {
    // A Proxy, which the other mistakes are about.
    return []
  }
}

/**
 * Refuses the options of a call if anything is wrong with them. Mistakes in a model are findings of its schema instead: see
 * `optionMistakes`.
 *
 * @param call the function as a user writes it: `db.get`
 * @throws {IsothermError} `INVALID_OPTION` naming the call, the option, what was given and what is allowed.
 * @example
 * const OPEN_OPTIONS: OptionKinds<OpenOptions> = {
 *   driver: required(objectWith('a driver: spanner(database)', 'query')),
 *   timeoutMs: numberFrom(0, 'a number of milliseconds'),
 *   strategy: oneOf('hash', 'random'),
 * }
 * export function open(options: OpenOptions): Database {
 *   checkOptions('open', OPEN_OPTIONS, options)
 *   …
 * }
 * open({ driver, timeuotMs: 5 }) // open: timeuotMs is not an option. Did you mean timeoutMs? The options are …
 */
export function checkOptions<Options>(call: string, kinds: OptionKinds<Options>, options: unknown): void {
  if (options === undefined && !Object.values<Kind>(kinds).some(({ required }) => required)) return
  const [first] = optionMistakes(kinds, options)
  if (first) throw invalidOption(call, first)
}

/** Everything that is wrong with an argument that is not an options object. Never throws. */
export function argumentMistakes(name: string, kind: Kind, value: unknown): readonly OptionMistake[] {
  return mistakesOf(kind, value, name)
}

/** Refuses an argument that is not an options object: `checkArgument('db.get', 'key', recordOf(anything), key)`. */
export function checkArgument(
  call: string,
  name: string,
  kind: Kind,
  value: unknown,
  code: IsothermErrorCode = 'INVALID_OPTION',
): void {
  const [first] = argumentMistakes(name, kind, value)
  if (first) throw invalidOption(call, first, code)
}

export function invalidOption(
  call: string,
  { message, fix }: Omit<OptionMistake, 'path'>,
  code: IsothermErrorCode = 'INVALID_OPTION',
): IsothermError {
  return new IsothermError(code, `${call}: ${message}`, { fix })
}

/** The name that was probably meant, among the known names. */
export function nearName(unknownName: string, names: readonly string[]): string | undefined {
  if (unknownName.length > LONGEST_NAME) return undefined
  let nearest: string | undefined
  let min = Infinity
  for (const name of names) {
    const distance = leven(unknownName.toLowerCase(), name.toLowerCase())
    // Two letters that were swapped are two edits; in a short name two edits are another name.
    const allowed = Math.max(1, Math.floor(Math.max(unknownName.length, name.length) * 0.4))
    if (distance > allowed || distance >= min) continue
    nearest = name
    min = distance
  }
  return nearest
}

const LONGEST_NAME = 60
/** No reader goes through more than this many. */
const MAX_MISTAKES = 20
/** How many unknown names keep a sentence readable. */
const MAX_NAMES = 10

const compiled = new WeakMap<Readonly<Record<string, Kind>>, Kind>()

/** The schema of an options object, made once for each description. */
function optionsOf(kinds: Readonly<Record<string, Kind>>): Kind {
  let schema = compiled.get(kinds)
  if (!schema) compiled.set(kinds, (schema = options(kinds)))
  return schema
}

/**
 * A plain object: no array, no instance of a class, no getters, and nothing inherited.
 *
 * @param check what its names and values are
 */
function plain(
  expected: string,
  check: (object: PlainObject, path: string) => readonly Found[],
  holdsSecret = false,
): Kind {
  return {
    message: `Give ${expected}.`,
    check(value, path) {
      if (!isPlainObject(value)) {
        const found = otherKind(value, path, notPlainFix(value))
        return [holdsSecret ? hidden(found) : found]
      }
      const mistakes: Found[] = []
      for (const name of Reflect.ownKeys(value)) {
        const isText = typeof name === 'string'
        if (isText && 'value' in (Object.getOwnPropertyDescriptor(value, name) ?? {})) continue
        const at = joinedName(path, name)
        mistakes.push(
          isText
            ? { path: at, says: () => `${at} is a getter.`, fix: 'Give its value.' }
            : unknownNames([at], 'The name of an option is a text.'),
        )
      }
      return mistakes.length > 0 ? mistakes : check(value as PlainObject, path)
    },
  }
}

function mistakesOf(kind: Kind, value: unknown, path: string): readonly OptionMistake[] {
  try {
    const found = kind.check(value, path)
    if (found.length === 0) return []
    const mistakes = found.slice(0, MAX_MISTAKES).map(({ path: at, says, fix, unknown }) => ({
      path: at,
      message: says(shown),
      fix,
      ...(unknown && { unknown }),
    }))
    // A name that is misspelled explains why another is missing.
    return mistakes.toSorted((a, b) => Number(b.unknown !== undefined) - Number(a.unknown !== undefined))
  } catch {
    // A Proxy may throw whatever is done with it.
    return [{ path, message: `${path || WHOLE} cannot be read: a getter or a proxy throws.`, fix: PLAIN }]
  }
}

/** A description of a value that does not show its contents: `an object of the class Map`. */
export function descriptionOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'string') return 'a text'
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return `a ${typeof value}`
  const { name } = (Object.getPrototypeOf(value) as object | null)?.constructor ?? Object
  return name === 'Object' ? 'a plain object' : `an object of the class ${name}`
}

const WHOLE = 'the options object'

/** Of this realm or another: a test runner or a worker may have an `Object` of its own. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value) as object | null
  return (
    prototype === null ||
    prototype === Object.prototype ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf'))
  )
}

const PLAIN = 'Give a plain object, such as { name: value }.'

function notPlainFix(value: unknown): string {
  const isInstance = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isInstance ? 'Give a plain object: an instance of a class may inherit what it does not hold.' : PLAIN
}

function chooseFrom(unknownNames: readonly string[], names: readonly string[]): string {
  const list = names.length === 0 ? 'There are none.' : `The options are ${names.join(', ')}.`
  const meant = unknownNames.slice(0, MAX_NAMES).flatMap((name) => {
    const near = nearName(name, names)
    if (near === undefined) return []
    return [unknownNames.length === 1 ? near : `${near} for ${joinedName('', name)}`]
  })
  return meant.length === 0 ? list : `Did you mean ${enumerated(meant)}? ${list}`
}

/** `a`, `a and b`, `a, b and c`; of a long list the first names, and how many others there are. */
function enumerated(texts: readonly string[]): string {
  const rest = texts.length - MAX_NAMES
  const shownTexts =
    rest > 0 ? [...texts.slice(0, MAX_NAMES), `${rest} other${rest === 1 ? '' : 's'}`] : texts
  const last = shownTexts.at(-1) ?? ''
  return shownTexts.length < 2 ? last : `${shownTexts.slice(0, -1).join(', ')} and ${last}`
}

const PLAIN_NAME = /^[\w$]{1,60}$/

function joinedName(path: string, name: unknown): string {
  if (typeof name === 'string' && PLAIN_NAME.test(name)) return path === '' ? name : `${path}.${name}`
  return `${path}[${shown(name)}]`
}
