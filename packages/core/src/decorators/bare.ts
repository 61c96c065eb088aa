import { IsothermError } from '../errors.js'
import { decoratedBy } from './decorated.js'

/** The decorators that need arguments, with an example of them. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  Table: "'TableName'",
  UserType: "'type_name'",
  Index: "{ on: ['property'] }",
  ShardKey: "{ shards: 64, of: ['property'] }",
  HashKey: "{ of: ['property'] }",
  Sequential: "{ from: inTransaction('name') }",
  TimeBucket: "{ by: 'day', of: 'property' }",
  'Column.array': "{ kind: 'string', length: 'max' }",
  'Column.set': "{ kind: 'ascii' }",
  'Column.map': "{ kind: 'ascii' }, { kind: 'int32' }",
  'Column.tuple': "[{ kind: 'ascii' }, { kind: 'int32' }]",
  'Column.udt': 'UserTypeClass',
  'Column.vector': '768',
}

/** The decorators that take a class as their argument. */
const TAKES_CLASS = ['Column.array', 'Column.set', 'Column.map', 'Column.udt']

const MEMBER_KINDS: ReadonlySet<unknown> = new Set([
  'class',
  'method',
  'getter',
  'setter',
  'field',
  'accessor',
])

/**
 * Refuses a decorator that is written without a call, such as `@Key id`: the compiler calls it with what it stands on in place
 * of options, and nothing would be recorded.
 *
 * @throws {IsothermError} `SCHEMA_INVALID` with the call to write.
 */
export function refuseBare(decoratorName: string, args: ArrayLike<unknown>): void {
  if (!looksCompiled(decoratorName, args)) return
  const { on, member } = decoratedBy(decoratorName, args[0], args[1], args[2])
  throw new IsothermError('SCHEMA_INVALID', `@${decoratorName} on ${on}, is written without a call.`, {
    fix: `Write @${decoratorName}(${ARGUMENTS[decoratorName] ?? ''}).`,
    ...(member !== undefined && { column: member }),
  })
}

function looksCompiled(decoratorName: string, args: ArrayLike<unknown>): boolean {
  try {
    return isCalledByCompiler(decoratorName, args)
  } catch {
    // A proxy may throw whatever it is asked: no compiler gives one.
    return false
  }
}

function isCalledByCompiler(decoratorName: string, args: ArrayLike<unknown>): boolean {
  const [first, second, third] = Array.from(args)
  // Standard decorators, and those of the proposal of 2018-09. Types of columns have a `kind` too, but none of these.
  if (hasMemberKind(second)) return true
  if (hasMemberKind(first) && ('key' in first || 'elements' in first)) return true
  // Legacy decorators: a class, or its prototype, and the name of a member.
  if (isClassOrPrototype(first) && ['string', 'symbol', 'number'].includes(typeof second)) return true
  if (typeof third === 'number') return true
  return typeof first === 'function' && args.length === 1 && !TAKES_CLASS.includes(decoratorName)
}

function isClassOrPrototype(value: unknown): boolean {
  return typeof value === 'object'
    ? value !== null && Object.hasOwn(value, 'constructor')
    : typeof value === 'function'
}

function hasMemberKind(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'kind' in value && MEMBER_KINDS.has(value.kind)
}

/** Makes a decorator, and those that are its properties, refuse to be written without a call. */
export function refusingBare<Decorator extends object>(
  decoratorName: string,
  decorator: Decorator,
): Decorator {
  const checked = (...args: readonly unknown[]): unknown => {
    refuseBare(decoratorName, args)
    return Reflect.apply(decorator as (...args: unknown[]) => unknown, undefined, args)
  }
  for (const [name, each] of Object.entries(decorator))
    Object.defineProperty(checked, name, {
      value: refusingBare(`${decoratorName}.${name}`, each as object),
      enumerable: true,
    })
  return checked as unknown as Decorator
}
