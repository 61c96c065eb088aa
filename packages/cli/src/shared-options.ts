import type { OptionDefinition } from './command.js'

// Options that several commands have, each declared once.

export interface OutputOptions {
  readonly json?: boolean
  readonly color?: boolean
  readonly verbose?: boolean
}

/** Every command has these. */
export const outputOptions: readonly OptionDefinition[] = [
  { flags: '--json', description: 'print one JSON document, and nothing else' },
  { flags: '--no-color', description: 'print without colours, as does NO_COLOR=1' },
  { flags: '--verbose', description: 'show where an error comes from, as does DEBUG=1' },
]

export interface ProjectOptions extends OutputOptions {
  readonly config?: string
  readonly dialect?: string
  readonly target?: string
  readonly schema?: readonly string[]
  readonly out?: string
  readonly database?: string
}

export const dialectNames = ['googlesql', 'spanner-postgresql', 'cql'] as const

/** Whose CQL. */
export const targetNames = ['cassandra', 'keyspaces'] as const

export const configOption: OptionDefinition = {
  flags: '-c, --config <file>',
  description: 'the configuration',
  env: 'ISOTHERM_CONFIG',
  otherwise: 'isotherm.config.ts, .mts, .js, .mjs or .json',
}

export const dialectOption: OptionDefinition = {
  flags: '--dialect <dialect>',
  description: 'the dialect of the database',
  choices: dialectNames,
  env: 'ISOTHERM_DIALECT',
}

export const targetOption: OptionDefinition = {
  flags: '--target <target>',
  description: 'whose CQL, where the dialect is cql',
  choices: targetNames,
  env: 'ISOTHERM_TARGET',
  otherwise: 'cassandra',
}

export const schemaOption: OptionDefinition = {
  flags: '--schema <glob>',
  description: 'where the models are',
  repeatable: true,
}

export const migrationsOption: OptionDefinition = {
  flags: '--out <folder>',
  description: 'the folder of the migrations',
  otherwise: './migrations',
}

export const databaseOption: OptionDefinition = {
  flags: '--database <name>',
  description: 'projects/…/instances/…/databases/…, or cassandra://host/keyspace?dc=datacenter1',
  env: 'ISOTHERM_DATABASE',
}

/** Every command has these that works on a database. */
export const connectionOptions: readonly OptionDefinition[] = [
  configOption,
  dialectOption,
  targetOption,
  databaseOption,
  ...outputOptions,
]
