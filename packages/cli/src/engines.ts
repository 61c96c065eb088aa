import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * The engines that the command knows: a line each. Everything else about an engine is in the entry `./cli` of its package.
 * These lines contain what help shows, and the message for a project that lacks the package.
 */
const ENGINES = [
  {
    package: '@isotherm/spanner',
    clients: ['@google-cloud/spanner'],
    hasCommonClients: false,
    dialects: ['googlesql', 'spanner-postgresql'],
    databases: ['projects/…/instances/…/databases/…'],
  },
  {
    package: '@isotherm/cassandra',
    clients: ['cassandra-driver'],
    hasCommonClients: false,
    dialects: ['cql', 'keyspaces-cql'],
    databases: ['cassandra://host/keyspace?dc=datacenter1', 'keyspaces:///keyspace?region=eu-west-1'],
  },
  {
    package: '@isotherm/postgresql',
    clients: ['pg', '@electric-sql/pglite'],
    // Many applications have them for another database than the one that Isotherm is for.
    hasCommonClients: true,
    dialects: ['postgresql'],
    databases: ['postgresql://user@host:5432/database', 'pglite:./folder'],
  },
] as const

/** An engine that a project may use, before it is loaded. Plain data: it goes from one process to another. */
export interface EngineEntry {
  /** The imported module: `@isotherm/spanner/cli`, or the URL of a module. */
  readonly module: string
  readonly dialects: readonly string[]
  /** The forms of names of its databases. */
  readonly databases: readonly string[]
}

export type DialectName = (typeof ENGINES)[number]['dialects'][number]

export const listedEngines: readonly EngineEntry[] = ENGINES.map(
  ({ package: name, dialects, databases }) => ({ module: `${name}/cli`, dialects, databases }),
)

export const dialectNames: readonly DialectName[] = ENGINES.flatMap(({ dialects }) => [...dialects])

/** The forms of database names. */
export const databaseForms: readonly string[] = listedEngines.flatMap(({ databases }) => databases)

/** The engine that has a dialect; undefined if no engine has it. */
export function entryOf(
  dialect: string | undefined,
  entries: readonly EngineEntry[],
): EngineEntry | undefined {
  return entries.find(({ dialects }) => dialects.some((each) => each === dialect))
}

export function onlyOf<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined
}

/** The dialect of a configuration that names an engine with one dialect. */
export function soleDialect(
  config: { readonly engine?: unknown },
  engines: readonly EngineEntry[],
): string | undefined {
  return config.engine === undefined ? undefined : onlyOf(engines.flatMap(({ dialects }) => dialects))
}

/** The first engine whose own package is among these, else one whose client is; otherwise the first one. */
export function engineAmong(dependencies: object): EngineEntry {
  const owned = ENGINES.findIndex(({ package: name }) => name in dependencies)
  const known = ENGINES.findIndex(
    ({ clients, hasCommonClients }) => !hasCommonClients && clients.some((client) => client in dependencies),
  )
  return listedEngines[owned < 0 ? Math.max(0, known) : owned]!
}

/** Always the project's own copy: a copy beside the command would not know the project's tables. */
export const DRIZZLE_ADAPTER = '@isotherm/drizzle-adapter'

/** Begins a specifier that is resolved as an import of the module before its `#`. */
export const FROM = 'isotherm-from:'

/** Peer dependencies: there must be only one copy of each, the project's. */
const SHARED: readonly string[] = [
  '@isotherm/core',
  '@isotherm/migrations',
  DRIZZLE_ADAPTER,
  ...ENGINES.flatMap(({ package: name, clients }) => [name, ...clients]),
]

/** @param specifier a package, or an entry of one. @returns the name of the package if it is one of the peers */
export function sharedPackage(specifier: string): string | undefined {
  return SHARED.find((name) => specifier === name || specifier.startsWith(`${name}/`))
}

/** The name of a peer package that the project does not have. */
export function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // `import` says that a package is missing, `require` that a module is.
  const { code, requireStack: [requiredBy] = [] } = error as NodeJS.ErrnoException & {
    readonly requireStack?: readonly string[]
  }
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined
  const [, specifier = ''] =
    /Cannot find (?:package|module) '((?:@[^/']+\/)?[^/']+)/.exec(error.message) ?? []
  const name = specifier === 'drizzle-orm' ? specifier : sharedPackage(specifier)
  // `require` says the same of a file that an installed package lacks.
  return name !== undefined && requiredBy !== undefined && isInstalled(name, requiredBy) ? undefined : name
}

function isInstalled(name: string, forModule: string): boolean {
  const folders = createRequire(forModule).resolve.paths(name) ?? []
  return folders.some((folder) => existsSync(join(folder, name)))
}

/** The command that installs a missing package. */
export function installation(missing: string): string {
  return `Install it: npm install ${installed(missing)}`
}

/** The arguments for npm, if more than the package itself is needed. */
function installed(missing: string): string {
  // Only the command needs it, unless the application migrates by itself.
  if (missing === '@isotherm/migrations') return `--save-dev ${missing}`
  const engine = ENGINES.find(({ package: name }) => name === missing)
  return engine ? `${missing} ${engine.clients[0]}` : missing
}
