import type { DefaultCall } from '../introspection/defaults.js'
import type { NormalForm } from '../introspection/normal-form.js'
import { googleSqlNormalForm } from './introspect-normal-form.js'

const CALLS: ReadonlyMap<string, DefaultCall> = new Map<string, DefaultCall>([
  ['f:generate_uuid', 'uuid-text'],
  ['f:new_uuid', 'uuid'],
  ['f:current_timestamp', 'clock'],
  ['w:current_timestamp', 'clock'],
])

export function googleSqlDefault(expression: string, sequences: readonly string[]): DefaultCall | undefined {
  const form = googleSqlNormalForm(expression)
  if (form.length === 1) return CALLS.get(form[0]!)
  const sequence = sequenceIn(form, sequences)
  return sequence === undefined ? undefined : { sequence }
}

/** From `GET_NEXT_SEQUENCE_VALUE(SEQUENCE sales.numbers)`, whose name may be written in other letters than its own. */
function sequenceIn([call, keyword, ...path]: NormalForm, sequences: readonly string[]): string | undefined {
  if (call !== 'f:get_next_sequence_value' || keyword !== 'w:sequence') return undefined
  const written = path.map((entry) => (entry === '..' ? '.' : entry.slice(2))).join('')
  return sequences.find((name) => name.toLowerCase() === written)
}
