import type { Rule } from '../../engine/lint-rule.js'
import { IsothermError } from '../../errors.js'

/** Features that the dialect does not support, as `compileDdl` would refuse them. */
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
