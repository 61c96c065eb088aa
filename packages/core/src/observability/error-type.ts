/** The class of an error, of which there are few: the code of one of ours, else the name of its class. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER'
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}
