import type { DefaultCall } from '../introspection/defaults.js'
import { spannerPostgreSqlNormalForm } from './introspect-normal-form.js'

const CALLS: ReadonlyMap<string, DefaultCall> = new Map<string, DefaultCall>([
  ['w:spanner .. f:generate_uuid', 'uuid-text'],
  ['f:gen_random_uuid', 'uuid'],
  ['w:current_timestamp', 'clock'],
])

export function spannerPostgreSqlDefault(
  expression: string,
  sequences: readonly string[],
): DefaultCall | undefined {
  const form = spannerPostgreSqlNormalForm(expression)
  const [call, argument] = form
  if (call !== 'f:nextval' || form.length !== 2) return CALLS.get(form.join(' '))
  const sequence = sequenceIn(argument, sequences)
  return sequence === undefined ? undefined : { sequence }
}

/** The name is a text: as it is, in quotes like any other name, or with the default schema in front of it. */
function sequenceIn(argument: string | undefined, sequences: readonly string[]): string | undefined {
  if (!argument?.startsWith('s:')) return undefined
  const written = argument.slice(2).replace(/^public\./, '')
  return sequences.find((name) => name === written || name === written.replaceAll('"', ''))
}
