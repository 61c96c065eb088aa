import { present } from './known.js'
import { shown } from './errors.js'
import { invalidOption } from './options.js'

type Method = (...given: readonly unknown[]) => unknown

type MethodName<Type> = {
  [Name in keyof Type & string]: Type[Name] extends (...given: never) => unknown ? Name : never
}[keyof Type & string]

type AsyncName<Type> = {
  [Name in keyof Type & string]: Type[Name] extends (...given: never) => Promise<unknown> ? Name : never
}[keyof Type & string]

/** The names of the arguments that a method takes. `any` for a method that takes any number of them. */
type Takes = readonly string[] | 'any'

/** The parameters of every method of a class: the compiler refuses a description that leaves out a method. */
interface MethodArguments<Type> {
  /** Methods that throw. */
  readonly sync: { readonly [Name in Exclude<MethodName<Type>, AsyncName<Type>>]: Takes }
  /** Methods that return a promise, and reject it. */
  readonly async: { readonly [Name in AsyncName<Type>]: Takes }
  /** The fix, if it is not to leave out the argument. */
  readonly fix?: string
  readonly fixes?: { readonly [Name in MethodName<Type>]?: string }
}

/**
 * Makes the methods of a class refuse arguments that they do not take: with JavaScript alone, a filter given to
 * `count({ … })` would be passed over, and every row counted. `undefined` counts as left out. Costs a comparison per call.
 *
 * @param call how a user writes an instance: `db`
 */
export function refuseExtraArguments<Type>(
  { prototype }: { readonly prototype: Type },
  call: string,
  { sync, async, fix = 'Leave it out.', fixes = {} }: MethodArguments<Type>,
): void {
  const methods = prototype as Record<string, Method>
  const wrap = (names: object, refuse: (error: Error) => unknown): void => {
    for (const [name, takes] of Object.entries(names) as [string, Takes][]) {
      if (takes === 'any') continue
      const method = present(methods[name], `method ${name}`)
      const own = (fixes as Readonly<Record<string, string | undefined>>)[name] ?? fix
      const checked = function (this: unknown, ...given: readonly unknown[]): unknown {
        if (given.length > takes.length) {
          const at = given.findIndex((value, index) => index >= takes.length && value !== undefined)
          if (at !== -1) {
            const message = `argument ${at + 1} is ${shown(given[at])}, but the call takes ${listed(takes)}.`
            return refuse(invalidOption(`${call}.${name}`, { message, fix: own }))
          }
        }
        return method.apply(this, given as unknown[])
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
