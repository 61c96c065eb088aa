import { int, short, string } from './frames.js'
import type { Answer } from './server.js'

// Errors of the native protocol with what each has behind its message.
//
// Source: https://github.com/apache/cassandra/blob/cassandra-5.0/doc/native_protocol_v4.spec, section 9

const LOCAL_QUORUM = short(6)

function refusal(code: number, message: string, ...rest: Buffer[]): Answer {
  return { error: { code, message, rest: Buffer.concat(rest) } }
}

/** One of two answered. */
const COUNTS = [LOCAL_QUORUM, int(1), int(2)]

export const refusals = {
  serverError: refusal(0x0000, 'Internal Server Error'),
  unavailable: refusal(0x1000, 'Cannot achieve consistency level LOCAL_QUORUM', LOCAL_QUORUM, int(2), int(1)),
  overloaded: refusal(0x1001, 'Request rate is too high'),
  bootstrapping: refusal(0x1002, 'Cannot read from a bootstrapping node'),
  writeTimeout: (kind: string) => refusal(0x1100, 'Operation timed out', ...COUNTS, string(kind)),
  readTimeout: refusal(0x1200, 'Operation timed out', ...COUNTS, Buffer.of(0)),
  readFailure: refusal(0x1300, 'Operation failed', ...COUNTS, int(1), Buffer.of(0)),
  writeFailure: (kind: string) => refusal(0x1500, 'Operation failed', ...COUNTS, int(1), string(kind)),
  casUnknown: refusal(0x1700, 'CAS operation result is unknown', ...COUNTS),
  syntax: refusal(0x2000, "line 1:0 no viable alternative at input 'SELEC'"),
  unauthorized: refusal(0x2100, 'User has no MODIFY permission on <table post>'),
  invalid: refusal(0x2200, 'Undefined column name nocol in table post'),
  missing: refusal(0x2200, 'table post does not exist'),
  alreadyExists: refusal(0x2400, 'Cannot add already existing table', string('blog'), string('post')),
} as const
