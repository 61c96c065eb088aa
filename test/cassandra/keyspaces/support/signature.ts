import { createHash, createHmac } from 'node:crypto'

// What Keyspaces checks, computed with nothing but hashes.
//
// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

/** How long a signature is good for, in milliseconds: `X-Amz-Expires`. */
const GOOD_FOR = 900_000

export interface Keys {
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface Expected {
  readonly nonce: string
  readonly region: string
  readonly now: Date
  readonly keys: ReadonlyMap<string, Keys>
}

/** Why an answer to the challenge is not taken; undefined where it is. */
export function refusal(answer: string, { nonce, region, now, keys }: Expected): string | undefined {
  const said = new Map(
    answer.split(',').map((part) => {
      const at = part.indexOf('=')
      return [part.slice(0, at), part.slice(at + 1)] as const
    }),
  )
  const id = said.get('access_key') ?? ''
  const time = said.get('amzdate') ?? ''
  const known = keys.get(id)
  if (!known) return 'The security token included in the request is invalid.'
  if (said.get('session_token') !== known.sessionToken) return 'The session token is not of this key.'
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(time)) return 'The time is not as it should be.'
  if (Math.abs(now.getTime() - Date.parse(time)) > GOOD_FOR) return 'The signature has expired.'
  const good = signature(known.secretAccessKey, id, nonce, region, time)
  return said.get('signature') === good ? undefined : 'The signature does not match.'
}

function signature(secret: string, id: string, nonce: string, region: string, time: string): string {
  const day = time.slice(0, 10).split('-').join('')
  const scope = `${day}/${region}/cassandra/aws4_request`
  const query =
    'X-Amz-Algorithm=AWS4-HMAC-SHA256' +
    `&X-Amz-Credential=${encodeURIComponent(`${id}/${scope}`)}` +
    `&X-Amz-Date=${encodeURIComponent(time)}&X-Amz-Expires=900`
  const request = `PUT\n/authenticate\n${query}\nhost:cassandra\n\nhost\n${hash(nonce)}`
  const key = [day, region, 'cassandra', 'aws4_request'].reduce<string | Buffer>(
    (above, part) => createHmac('sha256', above).update(part).digest(),
    `AWS4${secret}`,
  )
  return createHmac('sha256', key)
    .update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(request)}`)
    .digest('hex')
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
