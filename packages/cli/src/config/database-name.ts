import { isCassandraUrl, meansCassandra, urlForm, urlProblem } from './cassandra-url.js'
import type { DatabaseAddress } from './config.js'

const NAME = /^projects\/([^/]+)\/instances\/([^/]+)\/databases\/([^/]+)$/

/** What is wrong with a database's name or URL, as the end of a sentence; undefined if nothing is. */
export function addressProblem(name: string): string | undefined {
  if (isCassandraUrl(name)) return urlProblem(name)
  if (meansCassandra(name)) return `and not of the form ${urlForm}.`
  return NAME.test(name) ? undefined : 'and not of the form projects/…/instances/…/databases/….'
}

export function parseDatabaseName(name: string): DatabaseAddress | undefined {
  const [, project, instance, database] = NAME.exec(name) ?? []
  if (project === undefined || instance === undefined || database === undefined) return undefined
  return { project, instance, database }
}

export function databaseName({ project, instance, database }: DatabaseAddress): string {
  return `projects/${project}/instances/${instance}/databases/${database}`
}
