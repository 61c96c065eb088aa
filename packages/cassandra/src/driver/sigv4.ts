import { createHash, createHmac } from 'node:crypto'
import { auth } from 'cassandra-driver'
import { IsothermError } from '@isotherm/core/engine'
import {
  anything,
  callback,
  checkOptions,
  either,
  options as optionsOf,
  required,
  secret,
  text,
  type OptionKinds,
} from '@isotherm/core/engine'

// Sign-in to Amazon Keyspaces: the server sends a nonce. The client signs a request that is never sent, whose body is the
// hash of the nonce. Its times have milliseconds, which AWS's signer of requests does not write: it signs the text that is
// made here.
//
// Sources: https://docs.aws.amazon.com/keyspaces/latest/devguide/programmatic.credentials.SigV4_KEYSPACES.html,
// https://github.com/aws/aws-sigv4-auth-cassandra-java-driver-plugin

/** Keys of AWS; with a token where they are of a session. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface SigV4Options {
  /** As in `eu-west-1`. */
  readonly region: string
  /**
   * Keys, or a function that returns them: called at each sign-in, so that keys that expire can be renewed. Default: where
   * AWS's own tools look for them (environment, profiles, containers, instances), through the package
   * `@aws-sdk/credential-providers`.
   */
  readonly credentials?: AwsCredentials | (() => Promise<AwsCredentials>)
}

/** A function, or the keys. */
export const AWS_CREDENTIALS = secret(
  either(
    'keys { accessKeyId, secretAccessKey, sessionToken }, or an asynchronous function that returns them',
    callback,
    optionsOf({
      accessKeyId: required(text("'AKIA…'")),
      secretAccessKey: required(text("'…'")),
      sessionToken: text("'…'"),
      // AWS's own providers also return these, which a signature does not need.
      expiration: anything,
      accountId: anything,
      credentialScope: anything,
      $source: anything,
    }),
  ),
)

const SIGN_IN_OPTIONS: OptionKinds<SigV4Options> = {
  region: required(text("'eu-west-1'")),
  credentials: AWS_CREDENTIALS,
}

const SERVICE = 'cassandra'
const ALGORITHM = 'AWS4-HMAC-SHA256'

/** Tells the server which way to sign in. */
const FIRST_WORDS = 'SigV4\0\0'

/** In the client's typings it is an interface; the client wants an instance. */
const { AuthProvider } = auth as unknown as { readonly AuthProvider: new () => auth.AuthProvider }

type Answer = (error: Error | null, token?: Buffer) => void

/**
 * Signs in to Amazon Keyspaces with IAM credentials.
 *
 * @throws {IsothermError} `INVALID_OPTION` for an unknown option; `NOT_INSTALLED`, passed on by the client, if the package
 * that signs is missing, or, without credentials, the package that looks for them.
 * @example
 * const client = new Client({ …, authProvider: sigV4AuthProvider({ region: 'eu-west-1' }) })
 */
export function sigV4AuthProvider(options: SigV4Options): auth.AuthProvider {
  checkOptions('sigV4AuthProvider', SIGN_IN_OPTIONS, options)
  return new SigV4AuthProvider(options)
}

class SigV4AuthProvider extends AuthProvider {
  readonly #region: string
  readonly #credentials: () => Promise<AwsCredentials>

  constructor({ region, credentials }: SigV4Options) {
    super()
    this.#region = region
    this.#credentials = typeof credentials === 'function' ? credentials : providerOf(credentials, region)
  }

  override newAuthenticator(): auth.Authenticator {
    return {
      initialResponse: (answer: Answer) => answer(null, Buffer.from(FIRST_WORDS)),
      evaluateChallenge: (challenge: Buffer, answer: Answer) => {
        this.#answerTo(challenge).then(
          (token) => answer(null, token),
          (error: Error) => answer(error),
        )
      },
      onAuthenticationSuccess: () => {},
    }
  }

  async #answerTo(challenge: Buffer): Promise<Buffer> {
    const nonce = nonceOf(challenge.toString('utf8'))
    return Buffer.from(await sigV4Answer(nonce, await this.#credentials(), this.#region, new Date()))
  }
}

/** `nonce=…`, which may stand among other things. */
function nonceOf(challenge: string): string {
  const [, nonce] = /(?:^|,)nonce=([^,]+)/.exec(challenge) ?? []
  if (nonce !== undefined) return nonce
  throw new IsothermError('DATABASE', 'The server requests a sign-in, but sends no nonce to sign.', {
    fix: 'Check that the server is Amazon Keyspaces: other servers use user names and passwords.',
  })
}

/** The server's expected answer: the signature, and the data with which it was made. */
export async function sigV4Answer(
  nonce: string,
  credentials: AwsCredentials,
  region: string,
  date: Date,
): Promise<string> {
  const { SignatureV4, createScope } = await signing()
  const time = date.toISOString()
  const scope = createScope(time.slice(0, 10).replaceAll('-', ''), region, SERVICE)
  const request = canonicalRequest(nonce, `${credentials.accessKeyId}/${scope}`, time)
  const signer = new SignatureV4({ service: SERVICE, region, credentials, sha256: Sha256 })
  const signature = await signer.sign([ALGORITHM, time, scope, sha256(request)].join('\n'), {
    signingDate: date,
  })
  const { accessKeyId, sessionToken } = credentials
  const token = sessionToken === undefined ? '' : `,session_token=${sessionToken}`
  return `signature=${signature},access_key=${accessKeyId},amzdate=${time}${token}`
}

/** Loaded at the sign-in: what else is in the module can do without. */
async function signing(): Promise<typeof import('@smithy/signature-v4')> {
  try {
    return await import('@smithy/signature-v4')
  } catch (error) {
    throw new IsothermError('NOT_INSTALLED', 'The package that signs in to Keyspaces is not installed.', {
      fix: 'Install it: npm install @smithy/signature-v4 @aws-sdk/credential-providers.',
      cause: error,
    })
  }
}

function canonicalRequest(nonce: string, credential: string, time: string): string {
  const query = [
    ['X-Amz-Algorithm', ALGORITHM],
    ['X-Amz-Credential', credential],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', '900'],
  ].map(([name, value]) => `${name}=${encodeURIComponent(value!)}`)
  return ['PUT', '/authenticate', query.join('&'), `host:${SERVICE}`, '', 'host', sha256(nonce)].join('\n')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

type Data = string | ArrayBuffer | ArrayBufferView

/** As AWS's packages want a hash: with a secret it is keyed. */
class Sha256 {
  readonly #hash

  constructor(secret?: Data) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
  }

  update(data: Data): void {
    this.#hash.update(bytesOf(data))
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
}

function bytesOf(data: Data): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, 'utf8')
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}

function providerOf(credentials: AwsCredentials | undefined, region: string): () => Promise<AwsCredentials> {
  if (credentials) return async () => credentials
  let chain: Promise<() => Promise<AwsCredentials>> | undefined
  return async () => {
    chain ??= credentialChain(region)
    return (await chain)()
  }
}

async function credentialChain(region: string): Promise<() => Promise<AwsCredentials>> {
  try {
    const { fromNodeProviderChain } = await import('@aws-sdk/credential-providers')
    return fromNodeProviderChain({ clientConfig: { region } })
  } catch (error) {
    throw new IsothermError(
      'NOT_INSTALLED',
      'No credentials were given, and the package that looks for them is not installed.',
      {
        fix: 'Install it: npm install @aws-sdk/credential-providers. Or give credentials.',
        cause: error,
      },
    )
  }
}
