import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import {
  compileDdl,
  lint,
  lintRules,
  type Dialect,
  type ColumnSchema,
  type SqlDialect,
  type Finding,
  type Schema,
  type TableSchema,
} from '@isotherm/core'
import type { ModelFile } from '../../src/pull/source/source-text.js'

const inRepository = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))

const run = promisify(execFile)

/** Models in folders of their own, which are compiled together and loaded one by one. */
export class ModelFolders {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async make(): Promise<ModelFolders> {
    const path = await mkdtemp(join(tmpdir(), 'isotherm-models-'))
    await mkdir(join(path, 'node_modules'))
    await symlink(inRepository('node_modules/drizzle-orm'), join(path, 'node_modules/drizzle-orm'))
    return new ModelFolders(path)
  }

  async write(folder: string, files: readonly ModelFile[]): Promise<void> {
    await Promise.all(
      files.map(async ({ path, text }) => {
        const file = join(this.path, folder, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, text)
      }),
    )
  }

  async load(folder: string): Promise<Schema> {
    const { schema } = await this.exports(folder)
    return schema as Schema
  }

  /** All that `index.ts` exports. */
  async exports(folder: string): Promise<Readonly<Record<string, unknown>>> {
    const url = pathToFileURL(join(this.path, folder, 'index.ts'))
    return (await import(/* @vite-ignore */ url.href)) as Readonly<Record<string, unknown>>
  }

  /** The compiler's errors in all folders; empty text when there are no errors. */
  async compile(decorators: 'standard' | 'legacy'): Promise<string> {
    const compilerOptions = {
      target: 'es2022',
      module: 'nodenext',
      lib: ['es2023', 'es2024.string', 'esnext.decorators', 'esnext.disposable'],
      types: ['node'],
      typeRoots: [inRepository('node_modules/@types')],
      paths: {
        '@isotherm/core': [inRepository('packages/core/src/index.ts')],
        '@isotherm/core/adapter': [inRepository('packages/core/src/adapter/index.ts')],
        '@isotherm/core/engine': [inRepository('packages/core/src/for-engines.ts')],
        '@isotherm/core/tools': [inRepository('packages/core/src/for-tools.ts')],
        '@isotherm/spanner': [inRepository('packages/spanner/src/index.ts')],
        '@isotherm/spanner/adapter': [inRepository('packages/spanner/src/adapter.ts')],
        '@isotherm/drizzle-adapter': [inRepository('packages/drizzle-adapter/src/index.ts')],
        '@isotherm/drizzle-adapter/postgresql': [inRepository('packages/drizzle-adapter/src/postgresql.ts')],
      },
      strict: true,
      noUnusedLocals: true,
      isolatedModules: true,
      skipLibCheck: true,
      noEmit: true,
      ...(decorators === 'legacy' && { experimentalDecorators: true, emitDecoratorMetadata: true }),
    }
    const project = join(this.path, `${decorators}.json`)
    await writeFile(join(this.path, 'package.json'), '{ "type": "module" }')
    await writeFile(project, JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
    return output(inRepository('node_modules/.bin/tsc'), ['--project', project])
  }

  /** The models that a formatter would change. */
  async unformatted(): Promise<readonly string[]> {
    const config = inRepository('.oxfmtrc.json')
    const args = ['--config', config, '--list-different', this.path]
    const listed = await output(inRepository('node_modules/.bin/oxfmt'), args)
    return listed.split('\n').filter((file) => file.endsWith('.ts'))
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true })
  }
}

async function output(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(command, args)).stdout
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    return stdout + stderr || message
  }
}

const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))

/** The DDL of a schema without its lint findings: tables, and the options of a change stream, may stand in another order. */
export function sortedDdl(schema: Schema, dialect: SqlDialect): string[] {
  return compileDdl(schema, { dialect, severity: noRules(dialect) })
    .map(withSortedOptions)
    .toSorted()
}

function withSortedOptions(statement: string): string {
  if (!statement.startsWith('CREATE CHANGE STREAM')) return statement
  return statement.replace(/(?<= (?:OPTIONS|WITH) \()[^()]+(?=\)$)/, (options) =>
    options.split(', ').toSorted().join(', '),
  )
}

/**
 * Findings under the names in the database, since a model has properties of its own. Facts that a model adds are applied first:
 * columns that a shard hashes are immutable, and a digest has its length in the PostgreSQL dialect too. Facts of the client alone
 * are removed: a database does not store that a client generates an id, so the model read back has an id without a generator.
 */
export function findingsOf(schema: Schema, dialect: SqlDialect): string[] {
  const tables = schema.tables.map(asDeclared)
  const columnOf = ({ table, column }: Finding): string | undefined =>
    tables.find(({ name }) => name === table)?.columns.find(({ property }) => property === column)?.name
  return lint({ ...schema, tables }, { dialect })
    .map((found) => [found.rule, found.severity, found.table, columnOf(found), found.index].join(' '))
    .toSorted()
}

const DIGESTS = { sha256: 32, sha512: 64 } as const

function asDeclared(table: TableSchema): TableSchema {
  const hashed = table.columns.flatMap(({ source }) =>
    source?.kind === 'shard' || source?.kind === 'hash' ? source.of : [],
  )
  const isKey = (property: string): boolean => table.primaryKey.some((part) => part.property === property)
  const columns = table.columns.map((column): ColumnSchema => {
    const { source: declared, ...stored } = column
    const source = declared?.kind === 'bit-reversed' && declared.from === 'client' ? undefined : declared
    const { property, immutable, type } = stored
    const isDigest = source?.kind === 'hash' && source.algorithm !== 'farm-fingerprint'
    return {
      ...stored,
      ...(source && { source }),
      type: isDigest ? { kind: 'bytes', length: DIGESTS[source.algorithm] } : type,
      immutable: immutable || (hashed.includes(property) && !isKey(property)),
    }
  })
  return { ...table, columns }
}
