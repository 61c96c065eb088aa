import type { Rule } from '../../engine/lint-rule.js'
import { IsothermError } from '../../errors.js'

/** What the dialect does not have, as `compileDdl` would refuse it. */
export const unsupportedFeature: Rule = {
  name: 'unsupported-feature',
  severity: 'error',
  checkSchema(report, { schema, compile }) {
    try {
      compile()
    } catch (error) {
      if (!(error instanceof IsothermError)) throw error
      const { table = schema.tables[0]?.name ?? '', column, fix = '' } = error
      const message = error.message.slice(0, error.message.length - fix.length).trimEnd()
      report({ table, ...(column !== undefined && { column }), message, fix })
    }
  },
}
