// Several copies of this package may be in one process: a library may bring one of its own. What one copy makes and another
// reads is found by symbols of the global registry, which all copies have in common.

/** The version of this package, as its package.json has it. */
export const VERSION = '0.1.0'

/**
 * The format of what declarations record. A copy of this package with another format cannot read it: raise the number with a
 * change of `ColumnDefinition`, `TableDefinition` or `UserTypeDefinition` that an earlier version would misread.
 */
const FORMAT = 1

/** The copy of this package that recorded a declaration. */
export interface RecordedBy {
  readonly format: number
  readonly version: string
}

export const RECORDED_BY: RecordedBy = { format: FORMAT, version: VERSION }

/** Why this copy cannot read what another recorded, and what to do; undefined if it can read it. */
export function foreignFormat(
  recorded: Partial<RecordedBy> | undefined,
): { readonly message: string; readonly fix: string } | undefined {
  if (recorded?.format === FORMAT) return undefined
  const version = recorded?.version
  return {
    message: `was recorded by another version of @isotherm/core: ${version ?? 'its version is unknown'}, and this is ${VERSION}.`,
    fix: ONE_VERSION,
  }
}

export const ONE_VERSION =
  'Install one version for the application and its libraries: npm ls @isotherm/core lists the copies.'

/**
 * A value that all copies of this package have in common: the first copy that asks for it makes it.
 *
 * @param name ends with a version, to be raised when copies that use it differently must not share it
 */
/* @__NO_SIDE_EFFECTS__ */
export function shared<Value>(name: string, make: () => Value): Value {
  const values = globalThis as unknown as Record<symbol, Value>
  return (values[Symbol.for(`isotherm.${name}`)] ??= make())
}

type ErrorKind = 'IsothermError' | 'SchemaError' | 'HotspotError' | 'CommitsFailed' | 'NotAccepted'

/** Marks an error, so that `instanceof` finds it in another copy of this package. */
export function markError(error: Error, kind: ErrorKind): void {
  Object.defineProperty(error, errorMark(kind), { value: true })
}

/** Whether a value is an error of this kind, which this or another copy of the package has made. */
export function isErrorOf(value: unknown, kind: ErrorKind): boolean {
  return typeof value === 'object' && value !== null && errorMark(kind) in value
}

function errorMark(kind: ErrorKind): symbol {
  return Symbol.for(`isotherm.error.${kind}`)
}
