import { IsothermError } from '../../errors.js'

/** Where the database keeps a part. */
export interface PartPlace {
  /** The session's full name, which begins with that of its database. */
  readonly session: string
  readonly transaction: string
  readonly partition: string
}

/** One text for all of it, since only this driver has to make sense of it. */
export function encodeToken({ session, transaction, partition }: PartPlace): string {
  return Buffer.from(JSON.stringify([session, transaction, partition])).toString('base64url')
}

/**
 * @param database the full name of the database that is to be read
 * @throws {IsothermError} `INVALID_PART` for what is no token, or another database's.
 */
export function decodeToken(token: string, database: string): PartPlace {
  const [session, transaction, partition] = texts(Buffer.from(token, 'base64url').toString())
  if (session === undefined || transaction === undefined || partition === undefined) {
    throw new IsothermError('INVALID_PART', 'The part is damaged.', {
      fix: 'Pass parts on just as partitions() returned them.',
    })
  }
  const [own = session] = session.split('/sessions/')
  if (!isSame(own, database)) {
    throw new IsothermError('INVALID_PART', `The part is one of ${own}, not of ${database}.`, {
      fix: 'Read it with the database that it was made with.',
    })
  }
  return { session, transaction, partition }
}

/** The client does not always know its project before the first call, and writes {{projectId}} until then. */
function isSame(one: string, other: string): boolean {
  const isUnknown = other.startsWith('projects/{{')
  const path = (name: string): string => (isUnknown ? name.slice(name.indexOf('/instances/')) : name)
  return path(one) === path(other)
}

function texts(json: string): readonly (string | undefined)[] {
  try {
    const parsed: unknown = JSON.parse(json)
    return Array.isArray(parsed) && parsed.every((each) => typeof each === 'string') ? parsed : []
  } catch {
    return []
  }
}
