import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatLine } from '../src/log/format-line.js'
import { parseLine } from '../src/log/parse-line.js'
import { requests } from './requests.js'

const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 })

describe('parseLine() of a formatted request', () => {
  test('returns the same request from the combined log format', () => {
    fc.assert(
      fc.property(requests, offsets, (request, offsetMinutes) => {
        expect(parseLine(formatLine(request, { offsetMinutes }))).toEqual(request)
      }),
    )
  })

  test('returns the request without referrer and agent from the common log format', () => {
    fc.assert(
      fc.property(requests, offsets, (request, offsetMinutes) => {
        const line = formatLine(request, { form: 'common', offsetMinutes })
        expect(parseLine(line)).toEqual({ ...request, referrer: null, agent: null })
      }),
    )
  })
})

const plain = '192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 7 "-" "curl/8"'

describe('parseLine() of lines of real logs', () => {
  const expected = {
    time: new Date('2015-05-17T10:05:03Z'),
    client: '192.0.2.1',
    method: 'GET',
    path: '/a',
    status: 200n,
    bytes: 7n,
    referrer: null,
    agent: 'curl/8',
  }

  test.each([
    ['a plain request', plain, {}],
    ['an ident and a user', plain.replace('- -', 'id frank'), {}],
    ['an IPv6 address', plain.replace('192.0.2.1', '2001:db8::1'), { client: '2001:db8::1' }],
    ['a host name', plain.replace('192.0.2.1', 'a.example.net'), { client: 'a.example.net' }],
    ['a time zone east of UTC', plain.replace('+0000', '+0530'), { time: new Date('2015-05-17T04:35:03Z') }],
    ['a time zone west of UTC', plain.replace('+0000', '-0700'), { time: new Date('2015-05-17T17:05:03Z') }],
    ['no body', plain.replace(' 7 ', ' - '), { bytes: null }],
    ['no protocol', plain.replace(' HTTP/1.1', ''), {}],
    ['HTTP/2', plain.replace('HTTP/1.1', 'HTTP/2.0'), {}],
    ['a path with spaces', plain.replace('/a', '/a b  c'), { path: '/a b  c' }],
    ['a quote in the agent', plain.replace('curl/8', String.raw`a \"b\" \\`), { agent: 'a "b" \\' }],
    ['escaped UTF-8', plain.replace('/a', String.raw`/caf\xc3\xa9`), { path: '/café' }],
    ['an unknown escape', plain.replace('/a', String.raw`/\q\xzz`), { path: String.raw`/\q\xzz` }],
    ['a request line of `-`', plain.replace('GET /a HTTP/1.1', '-'), { method: null, path: '-' }],
    [
      'a TLS client',
      plain.replace('GET /a HTTP/1.1', String.raw`\x16\x03\x01`),
      { method: null, path: '\x16\x03\x01' },
    ],
    ['an empty request line', plain.replace('GET /a HTTP/1.1', ''), { method: null, path: '' }],
    ['further fields at the end', `${plain} 1234 "more"`, {}],
    ['a line cut off in its agent', plain.slice(0, -3), { agent: 'curl' }],
  ])('parses a line with %s', (_what, line, differs) => {
    expect(parseLine(line)).toEqual({ ...expected, ...differs })
  })
})

test.each([
  ['an empty line', ''],
  ['other text', 'a stack trace'],
  ['a line without a request', '192.0.2.1 - - [17/May/2015:10:05:03 +0000]'],
  ['an invalid date', plain.replace('17/May', '31/Apr')],
  ['an invalid month', plain.replace('May', 'Mai')],
  ['an invalid hour', plain.replace(':10:', ':24:')],
  ['an invalid time zone offset', plain.replace('+0000', '+0090')],
  ['a time before the year 1', plain.replace('2015', '0000')],
  ['a time after the year 9999', plain.replace('17/May/2015:10', '31/Dec/9999:23').replace('+0000', '-0200')],
  ['a status that is not a number', plain.replace('200', 'OK')],
  ['a number of bytes that exceeds 64 bits', plain.replace(' 7 ', ' 9223372036854775808 ')],
  ['a quote that is not escaped', plain.replace('/a', '/"a')],
  ['a referrer without an agent', plain.replace(' "curl/8"', '')],
  ['text after the common log format', plain.replace('"-" "curl/8"', 'x')],
  ['a line longer than any request', plain.replace('/a', `/${'a'.repeat(100_000)}`)],
])('parseLine() returns undefined for %s', (_what, line) => {
  expect(parseLine(line)).toBeUndefined()
})

test('parseLine() does not throw for random text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(plain.length), (junk, at) => {
      for (const line of [junk, plain.slice(0, at) + junk + plain.slice(at)]) {
        expect(() => parseLine(line)).not.toThrow()
      }
    }),
  )
})

// If the time grew with the square of the length, the test would exceed its time limit.
test('parseLine() takes time that grows only with the length of a hostile line', () => {
  for (const unit of ['\\', '"', '\\"', ' ', '" "', '- ', 'HTTP/1.1 ', ' HTTP/1.1']) {
    const long = unit.repeat(600_000 / unit.length)
    for (const line of [plain.replace('/a', `/${long}`), plain.replace('192.0.2.1', long)])
      expect(() => parseLine(line)).not.toThrow()
  }
})
