import { present } from './known.js'
import { shown } from './errors.js'
import { invalidOption } from './options.js'

type Method = (...args: readonly unknown[]) => unknown

type MethodName<Type> = {
  [Name in keyof Type & string]: Type[Name] extends (...args: never) => unknown ? Name : never
}[keyof Type & string]

type AsyncName<Type> = {
  [Name in keyof Type & string]: Type[Name] extends (...args: never) => Promise<unknown> ? Name : never
}[keyof Type & string]

/** The names of the arguments that a method takes. `any` for a method that takes any number of them. */
type Takes = readonly string[] | 'any'

/** The parameters of every method of a class: the compiler refuses a description that leaves out a method. */
export interface MethodArguments<Type> {
  /** Methods that throw. */
  readonly sync: { readonly [Name in Exclude<MethodName<Type>, AsyncName<Type>>]: Takes }
  /** Methods that return a promise, and reject it. */
  readonly async: { readonly [Name in AsyncName<Type>]: Takes }
  /** The fix, if it is not to leave out the argument. */
  readonly fix?: string
  readonly fixes?: { readonly [Name in MethodName<Type>]?: string }
}

interface AnyArguments {
  readonly sync: Readonly<Record<string, Takes>>
  readonly async: Readonly<Record<string, Takes>>
  readonly fix?: string
  readonly fixes?: Readonly<Record<string, string | undefined>>
}

/** Prototypes whose methods check their arguments. */
const checking = new WeakSet<object>()

/**
 * Makes the methods of a class refuse arguments that they do not take: with JavaScript alone, a filter given to
 * `count({ … })` would be passed over, and every row counted. `undefined` counts as left out. Costs a comparison per call.
 *
 * Constructors call it, and the first call does it: a statement beside the class would keep the class, and all that it imports, in
 * every application that a bundler makes.
 *
 * @param call how a user writes an instance: `db`
 */
export function refuseExtraArguments(
  { prototype }: { readonly prototype: object },
  call: string,
  { sync, async, fix = 'Leave it out.', fixes = {} }: AnyArguments,
): void {
  if (checking.has(prototype)) return
  checking.add(prototype)
  const methods = prototype as Record<string, Method>
  const wrap = (names: AnyArguments['sync'], refuse: (error: Error) => unknown): void => {
    for (const [name, takes] of Object.entries(names)) {
      if (takes === 'any') continue
      const method = present(methods[name], `method ${name}`)
      const own = fixes[name] ?? fix
      const checked = function (this: unknown, ...args: readonly unknown[]): unknown {
        if (args.length > takes.length) {
          const at = args.findIndex((value, index) => index >= takes.length && value !== undefined)
          if (at !== -1) {
            const message = `argument ${at + 1} is ${shown(args[at])}, but the call takes ${listed(takes)}.`
            return refuse(invalidOption(`${call}.${name}`, { message, fix: own }))
          }
        }
        return method.apply(this, args as unknown[])
      }
      Object.defineProperty(checked, 'name', { value: name })
      Object.defineProperty(methods, name, { value: checked, writable: true, configurable: true })
    }
  }
  wrap(sync, (error) => {
    throw error
  })
  wrap(async, (error) => Promise.reject(error))
}

function listed(names: readonly string[]): string {
  const last = names.at(-1)
  if (last === undefined) return 'no arguments'
  return `only ${names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`}`
}
