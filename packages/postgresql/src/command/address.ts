import { type AddressSyntax, quoted } from '@isotherm/core/command'

/** A database on a server, by its URL, or a folder with the data of a PGlite. */
export interface PostgresqlAddress {
  /** `postgresql://user@host:5432/database`, with the parameters that `pg` takes. */
  readonly url?: string
  /** From the folder in which the command is called. */
  readonly folder?: string
}

const FORM = 'postgresql://user@host:5432/database, or pglite:./folder'
const SCHEME = /^postgres(?:ql)?:\/\//

export const addressSyntax: AddressSyntax<PostgresqlAddress> = {
  form: FORM,
  fix: 'For PGlite, name the folder of its data: pglite:./.isotherm/pglite.',
  read(text) {
    if (SCHEME.test(text)) {
      const problem = problemOf(text)
      return problem === undefined ? { address: { url: text }, dialect: 'postgresql' } : { problem }
    }
    const [, folder] = /^pglite:(?:\/\/)?(.*)$/s.exec(text) ?? []
    if (folder === undefined) return undefined
    return folder === ''
      ? { problem: 'and names no folder: pglite:./.isotherm/pglite.' }
      : { address: { folder }, dialect: 'postgresql' }
  },
  parts: {
    url: {
      kind: 'form',
      form: {
        test: (text) => SCHEME.test(text) && problemOf(text) === undefined,
        what: 'of the form postgresql://user@host:5432/database',
      },
    },
    folder: { kind: 'text' },
    password: {
      kind: 'refused',
      why: 'A password is not for a file: set PGPASSWORD in the environment, or give the whole URL by ISOTHERM_DATABASE.',
    },
  },
}

/** What is wrong with a URL, as the end of a sentence. */
function problemOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) return `and not of the form ${FORM}.`
  const database = url.pathname.slice(1)
  if (database === '') return 'and names no database: postgresql://user@host:5432/database.'
  return database.includes('/') ? `and ${quoted(database)} is no database.` : undefined
}
