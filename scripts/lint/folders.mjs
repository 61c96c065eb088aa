// A rule of the linter: imports between the folders of a package go one way. Each package has a list of its folders, lowest
// first: a folder imports from those before it, and from the files beside the list that every folder may import. Files of the
// package's root that are not named here are entries: they import what they like, and no folder imports them. Folders that `runs` names import nothing
// of core's tools.

import { dirname, join, relative, sep } from 'node:path'

export const PACKAGES = {
  core: {
    shared: ['copies', 'errors', 'known', 'options', 'extra-arguments'],
    folders: [
      'keys',
      'model',
      'decorators',
      'layout',
      'tokens',
      'ddl',
      'engine',
      'sql',
      'lint',
      'lint/rules',
      'observability',
      'rows',
      'read/plan',
      'read/run',
      'read/aggregates',
      'read/partitions',
      'read',
      'write',
      'transaction',
      'database',
      'reshard',
      'sequences',
      'adapter',
      'local',
      'command',
    ],
  },
  // A driver lies below the tools of its dialect, and imports none of them: an application bundles what its driver imports.
  spanner: {
    shared: ['spanner-types', 'signed-shard'],
    runs: ['googlesql', 'postgresql', 'driver', 'local'],
    folders: [
      'googlesql',
      'postgresql',
      'driver',
      'ddl',
      'introspection',
      'lint/facts',
      'lint/rules',
      'lint',
      'googlesql/tools',
      'postgresql/tools',
      'local',
      'command',
    ],
  },
  cassandra: {
    shared: [],
    runs: ['cql', 'driver', 'local'],
    folders: [
      'cql',
      'driver',
      'ddl',
      'differ',
      'lint/facts',
      'lint/rules',
      'lint',
      'dialect',
      'local',
      'command',
    ],
  },
  postgresql: {
    shared: [],
    runs: ['sql', 'driver', 'local'],
    folders: ['sql', 'driver', 'ddl', 'introspection', 'lint', 'dialect', 'local', 'command'],
  },
  migrations: {
    shared: ['options', 'names', 'statement', 'snapshot', 'physical-schema', 'recorded-sql'],
    folders: ['diff', 'plan', 'history', 'reshard', 'files', 'run'],
  },
  testing: {
    shared: ['engine', 'part'],
    folders: ['data', 'parts'],
  },
  cli: {
    shared: ['engines', 'command-error', 'text'],
    folders: [
      'terminal',
      'definition',
      'modules',
      'config',
      'project',
      'bench',
      'changes',
      'pull/source',
      'pull/drizzle',
      'pull',
      'commands',
    ],
  },
  'drizzle-adapter': {
    shared: ['drizzle-internals', 'arguments'],
    folders: [
      'columns',
      'googlesql/columns',
      'postgresql/columns',
      'table-kind',
      'googlesql/tables',
      'session',
      'sql',
      'relational',
      'googlesql/sql',
      'googlesql/select',
      'googlesql/kind',
      'postgresql/render',
      'postgresql/tables',
      'schema',
      'keys',
      'postgresql/sql',
      'postgresql/session',
      'fan-out',
      'googlesql/write',
      'googlesql/db',
      'postgresql/relational',
      'postgresql/db',
      'to-drizzle',
    ],
  },
}

const SHARED = 'the shared files'

/** What tools are made of. */
const TOOLS = '@isotherm/core/tools'

/** @param path a file below the package's src */
function positionOf(path, { shared, folders }) {
  const folder = dirname(path).split(sep).join('/')
  if (folder !== '.') return { name: folder, floor: folders.indexOf(folder) + 1 || undefined }
  return shared.includes(path.replace(/\.[jt]s$/, ''))
    ? { name: SHARED, floor: 0 }
    : { name: path, floor: Infinity }
}

const rule = {
  meta: {
    type: 'problem',
    docs: { description: 'Keeps imports between the folders of a package going one way.' },
  },
  create(context) {
    const [, root, name] = /^(.*[\\/]packages[\\/]([^\\/]+)[\\/]src)[\\/]/.exec(context.filename) ?? []
    const known = PACKAGES[name]
    if (!known) return {}
    const from = positionOf(relative(root, context.filename), known)
    if (from.floor === undefined) {
      const message = `The folder ${from.name} has no place in scripts/lint/folders.mjs.`
      return { Program: (node) => context.report({ node, message }) }
    }
    const check = (node, source) => {
      if (source === TOOLS && known.runs?.includes(from.name)) {
        context.report({ node, message: `${from.name} runs, and may not import ${TOOLS}.` })
      }
      if (typeof source !== 'string' || !source.startsWith('.') || from.floor === Infinity) return
      const to = positionOf(relative(root, join(dirname(context.filename), source)), known)
      if (to.name === from.name || to.floor < from.floor) return
      context.report({ node, message: `${from.name} may not import from ${to.name}, which is not below it.` })
    }
    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ImportExpression: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      ExportAllDeclaration: (node) => check(node, node.source.value),
    }
  },
}

// oxlint-disable-next-line import/no-default-export -- A plugin of the linter is one.
export default { meta: { name: 'isotherm-folders' }, rules: { 'imports-go-down': rule } }
