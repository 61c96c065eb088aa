import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that need no engine run first. A worker keeps its imports only while files of one project follow each other. */
const PROJECTS = ['unit', 'legacy-decorators', 'pglite', 'postgresql', 'cassandra', 'spanner']

const durations = JSON.parse(readFileSync(new URL('durations.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, number>
>

/** By project, and the slowest files first, so that no slow file runs alone at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const position = ({ project }: TestSpecification): number => PROJECTS.indexOf(project.name)
    const seconds = ({ project, moduleId }: TestSpecification): number =>
      durations[`${project.name}: ${moduleId.slice(project.config.root.length + 1)}`] ?? 0
    return (await super.sort(files)).toSorted((a, b) => position(a) - position(b) || seconds(b) - seconds(a))
  }
}
