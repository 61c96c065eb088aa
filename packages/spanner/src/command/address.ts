import { type AddressSyntax, CommandError } from '@isotherm/core/command'

/** A database by its parts. */
export interface SpannerAddress {
  readonly project: string
  readonly instance: string
  readonly database: string
  /** `host:port` of an emulator. `SPANNER_EMULATOR_HOST` goes before it. */
  readonly emulatorHost?: string
}

const FORM = 'projects/…/instances/…/databases/…'
const NAME = /^projects\/([^/]+)\/instances\/([^/]+)\/databases\/([^/]+)$/

export function databaseName({ project, instance, database }: SpannerAddress): string {
  return `projects/${project}/instances/${instance}/databases/${database}`
}

export const addressSyntax: AddressSyntax<SpannerAddress> = {
  form: FORM,
  fix: 'Give all three names, as in projects/shop/instances/main/databases/orders.',
  read(text) {
    const [, project, instance, database] = NAME.exec(text) ?? []
    return project === undefined || instance === undefined || database === undefined
      ? undefined
      : { address: { project, instance, database } }
  },
  parts: {
    project: { kind: 'text', required: true },
    instance: { kind: 'text', required: true },
    database: { kind: 'text', required: true },
    emulatorHost: { kind: 'text' },
  },
  flags: [
    {
      flags: '--project <name>',
      description: 'of Google Cloud, where --database is a name alone',
    },
    { flags: '--instance <name>', description: 'of Spanner, where --database is a name alone' },
  ],
  nameOf({ project, instance, database }) {
    if (project === undefined && instance === undefined) return undefined
    if (project !== undefined && instance !== undefined && database?.includes('/') === false)
      return databaseName({ project, instance, database })
    throw new CommandError('USAGE', '--project, --instance and --database belong together.', {
      fix: `Give all three, each a name alone; or --database ${FORM} alone.`,
    })
  },
}
