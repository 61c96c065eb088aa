/** Begins the lines that tell an executed module's output apart: a character that no page prints. */
export const MARKER = '\u001e'

/**
 * The lines of a module, each with the block and the line within it that it comes from. What an executed module gets
 * in between (markers, and the DDL of models that a page shows) comes from no block.
 */
export function sourceOf({ run, blocks }) {
  return blocks.flatMap((block, at) => [
    ...(run ? [{ text: print(`'\\u001eoutput ${at}'`) }] : []),
    ...block.lines.map((text, offset) => ({ text, block, offset })),
    ...(block.ddl ? [{ text: print(`'\\u001eddl ${at}\\n' + ${ddlOf(block.ddl.models)}`) }] : []),
  ])
}

function print(expression) {
  return `;console.log(${expression});`
}

/** Not by `compileDdl`: it refuses models that would cause a hotspot, and the lint's pages show what becomes of these. */
function ddlOf(models) {
  const schema = `(await import('@isotherm/core')).defineSchema([${models.join(', ')}])`
  const dialect = `(await import('@isotherm/spanner')).googlesql`
  return `((d, s) => d.ddl(s, s.tables.map((t) => d.layout(t))))(${dialect}, ${schema}).join(';\\n')`
}

/** What each block printed, and the DDL of its models: `output 0`, `ddl 0`, `output 1` … */
export function sections(printed) {
  const found = new Map()
  for (const part of printed.split(MARKER).slice(1)) {
    const end = part.indexOf('\n')
    found.set(part.slice(0, end), part.slice(end + 1))
  }
  return found
}
