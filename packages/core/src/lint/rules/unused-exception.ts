import type { Rule } from '../../engine/lint-rule.js'

/** An exception without effect: its problem was fixed, or never existed. */
export const unusedException: Rule = {
  name: 'unused-exception',
  severity: 'warning',
  checkUnusedException({ name, indexes, foreignKeys }, { rule, on, reason }, report) {
    const location = on === undefined ? name : `${name}.${on}`
    const isIndex = [...indexes, ...foreignKeys].some((each) => each.name === on)
    report({
      ...(on !== undefined && (isIndex ? { index: on } : { column: on })),
      message: `${location} is excepted from ${rule} (${reason}), and ${rule} finds nothing there.`,
      fix: 'Take the exception out, so that what it suppressed is heard of when it comes back.',
    })
  },
}
