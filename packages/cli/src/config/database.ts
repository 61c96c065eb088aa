import type { EngineEntry } from '../engines.js'
import { type Engine, engineOf, installedEngines, loadEngine } from './engines.js'

/** A named database: its engine and its address. Plain data: it is passed between processes. */
export interface DatabaseSetting {
  readonly engine: EngineEntry
  readonly address: object
  /** The dialect, if the name contains it. The models may be linted for another one. */
  readonly dialect?: string
}

interface NameProblem {
  /** The end of a sentence. */
  readonly problem: string
  readonly fix?: string
}

/** The name for output: without a possible password, for every scheme. */
export function withoutSecrets(text: string): string {
  return text.replace(/(:\/{1,2})[^]*@/, '$1…@').replace(/(password=)[^&]*/gi, '$1…')
}

/**
 * Reads the name of a database. The engine of the project's dialect is asked first, and then the engine whose names begin
 * alike: other engines may not be installed.
 *
 * @param dialect of the project, if it is known
 */
export async function readName(
  text: string,
  dialect: string | undefined,
  entries: readonly EngineEntry[],
): Promise<DatabaseSetting | NameProblem> {
  const own = await engineOf(dialect, entries)
  const alike = entries.find(({ databases }) => databases.some((form) => start(form) === start(text)))
  const read = (own && readBy(own, text)) ?? (alike && readBy(await loadEngine(alike), text))
  if (read) return read
  const { engines } = await installedEngines(entries)
  for (const engine of engines) {
    const meant = readBy(engine, text)
    if (meant) return meant
  }
  const { form, fix } = own?.command.address ?? {
    form: entries.flatMap(({ databases }) => databases[0] ?? []).join(', '),
  }
  return { problem: `and not of the form ${form}.`, ...(fix !== undefined && { fix }) }
}

function start(name: string): string | undefined {
  return name.split('/')[0]
}

function readBy({ command, ...engine }: Engine, text: string): DatabaseSetting | NameProblem | undefined {
  const read = command.address.read(text)
  return read && ('problem' in read ? read : { engine, ...read })
}
