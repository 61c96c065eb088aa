import * as fc from 'fast-check'
import type { ParsedRequest } from '../src/log/parse-line.js'

const text = fc.string({ unit: 'binary', maxLength: 60 })
/** NULL is written as `-`, so a field that is `-` cannot be told from it. */
const field = fc.option(
  text.filter((value) => value !== '-'),
  { nil: null },
)
const client = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain())
const methodAndPath = fc.oneof(
  fc.record({
    method: fc.constantFrom<string | null>('GET', 'HEAD', 'POST', 'VERSION-CONTROL'),
    path: text.map((rest) => `/${rest}`),
  }),
  fc.constantFrom('-', '', 'GET', 'get /', '\x16\x03\x01', '\\ "').map((path) => ({ method: null, path })),
)

/** Any request that a log can tell: whole seconds, well-formed text. */
export const requests: fc.Arbitrary<ParsedRequest> = fc
  .record({
    time: fc
      .integer({ min: Date.UTC(1000, 0, 1) / 1000, max: Date.UTC(9998, 0, 1) / 1000 })
      .map((seconds) => new Date(seconds * 1000)),
    client,
    methodAndPath,
    status: fc.bigInt({ min: 100n, max: 599n }),
    bytes: fc.option(fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), { nil: null }),
    referrer: field,
    agent: field,
  })
  .map(({ methodAndPath: { method, path }, ...rest }) => ({ ...rest, method, path }))
