import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

// A certificate that signs itself, written as what it is: nested values of DER. Neither a program nor a package is needed for
// it, and no key lies in the repository.
//
// Source: https://www.rfc-editor.org/rfc/rfc5280#section-4.1

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_ID = 0x06
const UTF8_STRING = 0x0c
const GENERALIZED_TIME = 0x18
const VERSION = 0xa0
const EXTENSIONS = 0xa3
const DNS_NAME = 0x82

const ECDSA_WITH_SHA256 = '2a8648ce3d040302'
const COMMON_NAME = '550403'
const SUBJECT_ALTERNATIVE_NAME = '551d11'

function der(tag: number, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part)),
  )
  if (body.length < 0x80) return Buffer.concat([Buffer.of(tag, body.length), body])
  const length = Buffer.from(body.length.toString(16).padStart(4, '0'), 'hex')
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, body])
}

function objectId(hex: string): Buffer {
  return der(OBJECT_ID, Buffer.from(hex, 'hex'))
}

export interface Certificate {
  /** As PEM, both. */
  readonly key: string
  readonly cert: string
}

export function certificateOf(host: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, objectId(COMMON_NAME), der(UTF8_STRING, host))))
  const algorithm = der(SEQUENCE, objectId(ECDSA_WITH_SHA256))
  const alternatives = der(
    SEQUENCE,
    objectId(SUBJECT_ALTERNATIVE_NAME),
    der(OCTET_STRING, der(SEQUENCE, der(DNS_NAME, host))),
  )
  const signed = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.of(2))),
    der(INTEGER, Buffer.of(1), randomBytes(8)),
    algorithm,
    name,
    der(SEQUENCE, der(GENERALIZED_TIME, '20200101000000Z'), der(GENERALIZED_TIME, '21200101000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, alternatives)),
  )
  const signature = der(BIT_STRING, Buffer.of(0), sign('sha256', signed, privateKey))
  const bytes = der(SEQUENCE, signed, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}
