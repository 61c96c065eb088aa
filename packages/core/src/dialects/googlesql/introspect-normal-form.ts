import { normalForm, type NormalForm } from '../introspection/normal-form.js'

/** An expression comes back as it was written. */
export function googleSqlNormalForm(sql: string): NormalForm {
  return normalForm(sql, 'googlesql')
}
