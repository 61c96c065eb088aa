import { IsothermError } from '../errors.js'

// What a compiler tells a decorator of the thing that it stands on. Each compiler, and each version of the proposal, has a form
// of its own; what is in none of the supported ones is refused by the name of the setting that makes it.

/** What identifies a class in either mode: its metadata object (standard) or its prototype (legacy). */
interface Identified {
  readonly identity: object
}

interface DecoratedClass extends Identified {
  readonly is: 'class'
  /** For messages, as in `total, which is a static method`. */
  readonly on: string
  readonly member?: undefined
}

/** A public field. */
interface DecoratedField extends Identified {
  readonly is: 'field'
  readonly on: string
  readonly member: string
  /** Under legacy decorators the prototype has the types that `emitDecoratorMetadata` wrote. */
  readonly isLegacy: boolean
}

interface OtherDecorated {
  readonly is: 'other'
  readonly on: string
  /** Undefined for a parameter. */
  readonly member?: string
}

type Decorated = DecoratedClass | DecoratedField | OtherDecorated

/** A member as the proposal of 2018-09 hands it to its decorators. */
interface ElementDescriptor {
  readonly kind: 'class' | 'method' | 'field'
  readonly key?: PropertyKey
  readonly placement?: 'own' | 'prototype' | 'static'
}

/**
 * What a decorator stands on, from the arguments that it was called with.
 *
 * @throws {IsothermError} `SCHEMA_INVALID` for compilers and settings that give decorators no metadata, and for a decorator that
 * no compiler called.
 */
export function decoratedBy(
  decoratorName: string,
  target: unknown,
  second: unknown,
  third: unknown,
): Decorated {
  if (isStandardContext(second)) return ofContext(decoratorName, second)
  if (second === undefined && third === undefined && isElementDescriptor(target)) {
    const { kind, key, placement } = target
    const on = key === undefined ? 'a class' : describedMember(kind, key, { static: placement === 'static' })
    throw new IsothermError(
      'SCHEMA_INVALID',
      `@${decoratorName} stands on ${on}, and is called as in the decorators proposal of 2018-09, which is not supported.`,
      {
        fix:
          'In Next.js, set "experimentalDecorators": true in tsconfig.json. For @babel/plugin-proposal-decorators set ' +
          'version: "2023-11" or "legacy".',
        ...(key !== undefined && { column: String(key) }),
      },
    )
  }
  return ofLegacy(decoratorName, target, second, third)
}

function isStandardContext(context: unknown): context is DecoratorContext {
  return typeof context === 'object' && context !== null && 'kind' in context
}

function isElementDescriptor(value: unknown): value is ElementDescriptor {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && ('key' in value || 'elements' in value)
  )
}

function ofContext(decoratorName: string, context: DecoratorContext): Decorated {
  if (context.kind === 'class') {
    const on = describedClass(context.name)
    return { is: 'class', on, identity: metadataOf(decoratorName, on, context) }
  }
  const { kind, name } = context
  const member = String(name)
  const on = describedMember(kind, name, context)
  // What is refused anyway is refused for what it is, and not for its compiler.
  if (kind !== 'field' || context.static || context.private || typeof name === 'symbol')
    return { is: 'other', on, member }
  return {
    is: 'field',
    on,
    member,
    identity: metadataOf(decoratorName, on, context, member),
    isLegacy: false,
  }
}

function metadataOf(
  decoratorName: string,
  on: string,
  context: { readonly metadata?: object },
  member?: string,
): object {
  if (context.metadata !== undefined) return context.metadata
  throw new IsothermError(
    'SCHEMA_INVALID',
    `@${decoratorName} stands on ${on}, and the compiler gave the decorator no metadata object.`,
    {
      fix:
        'Use TypeScript 5.2 or newer, or set "experimentalDecorators": true in tsconfig.json. For ' +
        '@babel/plugin-proposal-decorators set version: "2023-11" or "legacy".',
      ...(member !== undefined && { column: member }),
    },
  )
}

/** A property descriptor; where Babel compiles a field, also how its value is made. */
type LegacyDescriptor = PropertyDescriptor & { readonly initializer?: unknown }

function ofLegacy(decoratorName: string, target: unknown, key: unknown, third: unknown): Decorated {
  const isStatic = typeof target === 'function'
  if ((isStatic || isObject(target)) && (key === undefined || isKey(key))) {
    if (typeof third === 'number')
      return { is: 'other', on: `a parameter of ${key === undefined ? 'the constructor' : String(key)}` }
    if (key !== undefined && (third === undefined || isObject(third))) {
      const kind = legacyKind(third)
      const member = String(key)
      const on = describedMember(kind, key, { static: isStatic })
      return kind === 'field' && !isStatic && typeof key !== 'symbol'
        ? { is: 'field', on, member, identity: target, isLegacy: true }
        : { is: 'other', on, member }
    }
    if (isStatic && key === undefined && third === undefined) {
      const { name, prototype } = target as { readonly name: string; readonly prototype: object }
      return { is: 'class', on: describedClass(name), identity: prototype }
    }
  }
  throw new IsothermError(
    'SCHEMA_INVALID',
    `@${decoratorName} was called with arguments that no compiler of decorators passes.`,
    {
      fix:
        'Compile the model with TypeScript 5.2 or newer, or with "experimentalDecorators": true in tsconfig.json, or ' +
        'declare the table by defineTable.',
    },
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isKey(value: unknown): value is PropertyKey {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'symbol'
}

function legacyKind(descriptor: LegacyDescriptor | undefined): DecoratorContext['kind'] {
  if (descriptor === undefined || 'initializer' in descriptor) return 'field'
  const { get, set } = descriptor
  // So TypeScript compiles the keyword `accessor`, and a getter that has a setter.
  if (get && set) return 'accessor'
  if (get) return 'getter'
  return set ? 'setter' : 'method'
}

function describedClass(name: string | undefined): string {
  return name ? `${name}, which is a class` : 'a class'
}

function describedMember(
  kind: DecoratorContext['kind'],
  key: PropertyKey,
  modifiers: { readonly static?: boolean; readonly private?: boolean },
): string {
  const words = [
    ...(modifiers.static === true ? ['static'] : []),
    ...(modifiers.private === true ? ['private'] : []),
    kind,
    ...(typeof key === 'symbol' ? ['whose name is a symbol'] : []),
  ].join(' ')
  return `${String(key)}, which is ${words.startsWith('a') ? 'an' : 'a'} ${words}`
}
