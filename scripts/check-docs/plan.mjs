// What is to be done with the blocks of one page: modules to compile and run, statements to execute.

const MARKS = { ts: ['run', 'continue', 'legacy'], sql: [], json: [], text: ['output'] }
/** Other names of TypeScript and JavaScript, in which a block would go unchecked. */
const REFUSED = new Set(['typescript', 'tsx', 'mts', 'cts', 'js', 'javascript', 'mjs', 'cjs', 'jsx'])

const MODEL = /^(?:export )?(?:class (\w+)|const (\w+) = defineTable\()/gm

/** A check that is done: what it was, and what was wrong (nothing, if it passed). */
export function check(kind, failures = []) {
  return { kind, failures }
}

export function planPage({ path, blocks }) {
  const checks = []
  const modules = []
  const sql = []
  /** The block that an output or a DDL block belongs to. */
  let above
  for (const block of blocks) {
    const where = `${path}:${block.line - 1}`
    const problem = problemOf(block, modules.at(-1))
    if (problem !== undefined) {
      checks.push(check('fences', [`${where}: ${problem}`]))
      continue
    }
    if (block.language === 'json') checks.push(check('json blocks', jsonProblems(block)))
    if (block.language === 'ts') {
      if (block.marks.includes('continue')) modules.at(-1).blocks.push(block)
      else modules.push(newModule(path, modules.length, block))
      above = modules.at(-1).run ? block : undefined
    }
    const belongs = above?.section === block.section ? above : undefined
    if (block.language === 'text' && block.marks.includes('output')) {
      if (belongs) belongs.output = block
      else checks.push(check('fences', [`${where}: no executed block stands above this output.`]))
    }
    if (block.language === 'sql') {
      const models = belongs && !belongs.ddl ? modelsOf(belongs) : []
      if (models.length > 0) belongs.ddl = { models, block }
      sql.push({ block, alone: models.length === 0 })
    }
  }
  return { checks, modules, sql }
}

function newModule(path, number, block) {
  return {
    path,
    name: `${path.replace(/\.md$/, '').replace(/[^\w]+/g, '-')}-${number + 1}`,
    run: block.marks.includes('run'),
    legacy: block.marks.includes('legacy'),
    blocks: [block],
  }
}

function problemOf(block, module) {
  const { language, marks } = block
  if (block.unclosed) return 'the block is never closed.'
  if (REFUSED.has(language)) return `write "ts" rather than "${language}": only ts blocks are checked.`
  const unknown = marks.find((mark) => !(MARKS[language] ?? []).includes(mark))
  if (unknown !== undefined && language in MARKS) return `a ${language} block has no mark "${unknown}".`
  if (!marks.includes('continue')) return undefined
  if (!module) return 'there is no block before this one to continue.'
  return marks.length > 1 ? 'what continues a block takes no other marks.' : undefined
}

function modelsOf(block) {
  const text = block.lines.join('\n')
  return [...text.matchAll(MODEL)].flatMap(([, model, table]) => {
    if (table !== undefined) return [table]
    return text.includes('@Table(') ? [model] : []
  })
}

function jsonProblems(block) {
  try {
    JSON.parse(block.lines.join('\n'))
    return []
  } catch (error) {
    return [`${block.path}:${block.line}: ${error.message}`]
  }
}
