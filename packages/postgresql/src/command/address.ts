import { type AddressSyntax, CommandError, quoted } from '@isotherm/core/command'

/** A database on a server, by its URL, or a folder with the data of a PGlite. */
export interface PostgresqlAddress {
  /** `postgresql://user@host:5432/database`, with the parameters that `pg` takes. */
  readonly url?: string
  /** From the folder in which the command is called. */
  readonly folder?: string
}

/** Where the data of a PGlite are, if nothing else is said. */
export const FOLDER = './.isotherm/pglite'

const FORM = 'postgresql://user@host:5432/database, or pglite:./folder'
const SCHEME = /^postgres(?:ql)?:\/\//

export const addressSyntax: AddressSyntax<PostgresqlAddress> = {
  form: FORM,
  fix: 'For PGlite, name the folder of its data: pglite:./.isotherm/pglite.',
  packages: ({ folder }) => [folder === undefined ? 'pg' : '@electric-sql/pglite'],
  read(text) {
    if (SCHEME.test(text)) {
      const problem = problemOf(text)
      if (problem !== undefined) return { problem }
      const ignored = ignoredSchema(text)
      return ignored
        ? {
            problem: `and has the parameter ${ignored.parameter}, which pg ignores. ${ignored.fix}`,
          }
        : { address: { url: text }, dialect: 'postgresql' }
    }
    const [, folder] = /^pglite:(?:\/\/)?(.*)$/s.exec(text) ?? []
    if (folder === undefined) return undefined
    if (/^\w{2,}:\/\//.test(folder)) return { problem: 'and not a folder: pglite:./.isotherm/pglite.' }
    return folder === ''
      ? { problem: 'and has no folder: pglite:./.isotherm/pglite.' }
      : { address: { folder }, dialect: 'postgresql' }
  },
  check({ url }) {
    if (url === undefined || !hasPassword(url)) return
    throw new CommandError(
      'CONFIG',
      'The URL of the database contains a password, which should not be in a file.',
      {
        fix: 'Remove it, and set PGPASSWORD in the environment.',
      },
    )
  },
  parts: {
    url: {
      kind: 'form',
      form: {
        test: (text) => SCHEME.test(text) && problemOf(text) === undefined && !hasPassword(text),
        what: 'of the form postgresql://user@host:5432/database, without a password',
      },
    },
    folder: { kind: 'text' },
    password: {
      kind: 'refused',
      why: 'Do not write a password into a file: set PGPASSWORD in the environment.',
    },
  },
}

/** What is wrong with a URL, as the end of a sentence. */
function problemOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) return `and not of the form ${FORM}.`
  const database = url.pathname.slice(1)
  if (database === '') return 'and has no database: postgresql://user@host:5432/database.'
  // A password with a slash in it ends the host: nothing of it is shown.
  if (database.includes('@')) return 'and has an @ behind the host: write %2F for a slash in a password.'
  if (database.includes('/')) return `and ${quoted(database)} is not a database.`
  return isDecodable(database)
    ? undefined
    : 'and its database has a % without two hexadecimal digits: write %25.'
}

/** Parameters by which other clients choose a schema. `pg` ignores them. */
const SCHEMA_PARAMETERS = ['schema', 'currentSchema', 'search_path']

interface IgnoredSchema {
  readonly parameter: string
  /** What to write, as a sentence. */
  readonly fix: string
}

/** The schema that a URL names without effect. */
export function ignoredSchema(text: string): IgnoredSchema | undefined {
  const { searchParams } = new URL(text)
  const parameter = SCHEMA_PARAMETERS.find((each) => searchParams.has(each))
  if (parameter === undefined) return undefined
  const value = searchParams.get(parameter)!
  if (value === '') return { parameter, fix: 'Leave it out.' }
  // `schema` is one name, as it is; the others are search paths already.
  const isPath = parameter !== 'schema' || /^[a-z_][a-z0-9_]*$/.test(value)
  const path = isPath ? value : `"${value.replaceAll('"', '""')}"`
  const options = `-c search_path=${path.replaceAll(/[\\\s]/g, String.raw`\$&`)}`
  return { parameter, fix: `Write options=${encodeURIComponent(options)} instead.` }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function hasPassword(text: string): boolean {
  const { password, searchParams } = new URL(text)
  return password !== '' || searchParams.has('password')
}
