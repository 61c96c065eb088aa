import type { Rule } from '../../engine/lint-rule.js'

/** A suppression without effect: its problem was fixed, or never existed. */
export const unusedSuppression: Rule = {
  name: 'unused-suppression',
  severity: 'warning',
  checkUnusedSuppression({ name, indexes, foreignKeys }, { rule, on, reason }, report) {
    const location = on === undefined ? name : `${name}.${on}`
    const isIndex = [...indexes, ...foreignKeys].some((each) => each.name === on)
    report({
      ...(on !== undefined && (isIndex ? { index: on } : { column: on })),
      message: `${rule} is suppressed for ${location} (${reason}), and finds nothing there.`,
      fix: 'Remove the suppression, so that lint reports the problem if it comes back.',
    })
  },
}
