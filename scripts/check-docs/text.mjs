const ANYTHING = '…'

/**
 * Where an expected text and the actual one part; undefined if they do not. In the expected text, `…` stands for
 * anything within a line, and alone on a line for any number of lines.
 */
export function differences(expected, actual, isSql) {
  const wanted = tidy(expected, isSql)
  const given = tidy(actual, isSql)
  const at = firstMismatch(wanted, given, 0, 0)
  if (at === undefined) return undefined
  const shown = given.map((line) => `    ${line}`).join('\n')
  const line = wanted[at]
  const what = line === undefined ? 'there is more than the page shows' : `the page has: ${line.trim()}`
  return { at: Math.min(at, expected.length - 1), text: `${what}\n  Actually:\n${shown}` }
}

function tidy(lines, isSql) {
  const trimmed = lines.map((line) => (isSql ? line.replace(/;\s*$/, '') : line).trimEnd())
  while (trimmed.at(-1) === '') trimmed.pop()
  return isSql ? trimmed.filter((line) => line !== '') : trimmed
}

/** The first line of `wanted` that nothing fits, from two places on; its length if `given` goes on after its end. */
function firstMismatch(wanted, given, from, to) {
  let [left, right] = [from, to]
  for (; left < wanted.length; left++, right++) {
    if (wanted[left].trim() === ANYTHING) {
      if (left === wanted.length - 1) return undefined
      let furthest = left + 1
      for (let skip = right; skip <= given.length; skip++) {
        const mismatch = firstMismatch(wanted, given, left + 1, skip)
        if (mismatch === undefined) return undefined
        furthest = Math.max(furthest, mismatch)
      }
      return furthest
    }
    if (right >= given.length || !fits(wanted[left], given[right])) return left
  }
  return right < given.length ? left : undefined
}

function fits(wanted, given) {
  if (!wanted.includes(ANYTHING)) return wanted === given
  const pattern = wanted.split(ANYTHING).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('.*')}$`).test(given)
}
