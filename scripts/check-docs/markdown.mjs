const FENCE = /^( *)(`{3,}|~{3,})(.*)$/
const HEADING = /^#{1,6}\s+(.*?)\s*#*$/
const CODE_SPAN = /(?<!`)(`+)(?!`)([^`]|(?!\1(?!`))`)*?\1(?!`)/g
const LINK = /!?\[(?:[^[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]*)>?(?:\s+["'][^)]*)?\)/g
const DEFINITION = /^ {0,3}\[([^\]^]+)\]:\s*<?(\S+?)>?(?:\s|$)/gm
const NAMED = /<a id="([^"]+)"><\/a>/g
const REFERENCE = /\[[^[\]]+\]\[([^[\]]+)\]/g

/** What the checks need of one page: its fenced blocks, the anchors of its headings, its links. Lines count from 1. */
export function parsePage(path, text) {
  const { blocks, prose } = splitBlocks(path, text)
  const readable = prose.join('\n').replace(CODE_SPAN, (code) => code.replace(/[^\n]/g, '·'))
  const found = (pattern) =>
    [...readable.matchAll(pattern)].map(({ 1: first, 2: second, index }) => ({
      first,
      second,
      line: readable.slice(0, index).split('\n').length,
    }))
  const definitions = found(DEFINITION)
  return {
    path,
    blocks,
    anchors: anchorsOf(prose),
    links: [
      ...found(LINK).map(({ first, line }) => ({ target: first, line })),
      ...definitions.map(({ second, line }) => ({ target: second, line })),
    ],
    references: found(REFERENCE).map(({ first, line }) => ({ name: first.toLowerCase(), line })),
    definitions: new Set(definitions.map(({ first }) => first.toLowerCase())),
  }
}

/** The fenced blocks, and the lines of the page with those of the blocks left empty. */
function splitBlocks(path, text) {
  const blocks = []
  const prose = []
  let section = 0
  let block
  for (const [at, line] of text.split('\n').entries()) {
    const [, indent, fence, info] = FENCE.exec(line) ?? []
    const opens = !block && fence !== undefined && !info.includes('`')
    prose.push(block || opens ? '' : line)
    if (block && closes(line, block.fence)) {
      blocks.push(block)
      block = undefined
    } else if (block) {
      block.lines.push(line.slice(Math.min(block.indent, line.length - line.trimStart().length)))
    } else if (opens) {
      const [language = '', ...marks] = info.trim().split(/\s+/)
      block = { path, language, marks, section, fence, indent: indent.length, line: at + 2, lines: [] }
    } else if (HEADING.test(line)) {
      section++
    }
  }
  return { blocks: block ? [...blocks, { ...block, unclosed: true }] : blocks, prose }
}

function closes(line, fence) {
  const bare = line.trim()
  return bare.length >= fence.length && bare === fence[0].repeat(bare.length)
}

/** The anchors of a page that is shown in the web: those that headings get, and those that an `<a id>` names. */
function anchorsOf(lines) {
  const anchors = new Set()
  for (const line of lines) {
    for (const [, id] of line.matchAll(NAMED)) anchors.add(id)
    const heading = HEADING.exec(line)?.[1]
    if (heading === undefined) continue
    const slug = slugOf(heading)
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

function slugOf(heading) {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')
}
