import {
  defineSchema,
  IsothermError,
  SchemaError,
  type SchemaFinding,
  type SchemaOptions,
} from '@isotherm/core'

/** The `IsothermError` that `work` throws; any other error passes through, and none is an error itself. */
export function refusal(work: () => unknown): IsothermError {
  try {
    work()
  } catch (error) {
    if (error instanceof IsothermError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

/** The code of the refusal, or `taken` where there is none. */
export function verdict(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof IsothermError) return error.code
    throw error
  }
  return 'taken'
}

/** The `IsothermError` that a promise is rejected with. */
export async function rejection(work: Promise<unknown>): Promise<IsothermError> {
  const settled = await work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  return refusal(() => {
    if (settled) throw settled.error
  })
}

/** Everything that `defineSchema` finds wrong with these models. */
export function findingsOf(...models: readonly object[]): readonly SchemaFinding[] {
  return findingsWith({}, ...models)
}

/** The same with what a schema holds beside tables. */
export function findingsWith(options: SchemaOptions, ...models: readonly object[]): readonly SchemaFinding[] {
  const error = refusal(() => defineSchema(models, options))
  if (error instanceof SchemaError) return error.findings
  throw error
}
