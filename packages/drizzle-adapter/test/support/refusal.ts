import { IsothermError } from '@isotherm/core'

/** The `IsothermError` that `work` throws; any other error passes through, and it is an error if `work` throws nothing. */
export function refusal(work: () => unknown): IsothermError {
  try {
    work()
  } catch (error) {
    if (error instanceof IsothermError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

/** The same for work that may be asynchronous. */
export async function refused(work: () => unknown): Promise<IsothermError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof IsothermError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}
