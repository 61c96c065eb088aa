import type { TestEngine } from '../../support/engines.js'
import { isCql } from '../../support/languages.js'
import { recordingClient } from './recording-client.js'
import { recordingDriver, type RecordingDriver } from './recording-driver.js'

export interface Recorder extends RecordingDriver {
  /** The forms in which a text is sent: alone, as bytes, twice in a list, and in a document. */
  forms(text: string, document: unknown): readonly unknown[]
}

/** A driver for an engine that records its calls; on Cassandra, the calls of its client. */
export function recorderOf({ dialect }: TestEngine): Recorder {
  if (isCql(dialect)) {
    return {
      ...recordingClient(dialect),
      forms: (text, document) =>
        [Buffer.from(text), Buffer.from(text), listOf(text, text), Buffer.from(JSON.stringify(document))].map(
          (bytes) => bytes.toString('hex'),
        ),
    }
  }
  return {
    ...recordingDriver(dialect),
    forms: (text, document) => [
      text,
      Buffer.from(text).toString('base64'),
      undefined,
      JSON.stringify(document),
    ],
  }
}

/**
 * A list of texts in the native protocol.
 *
 * Source: https://github.com/apache/cassandra/blob/cassandra-5.0/doc/native_protocol_v4.spec, section 6.11
 */
function listOf(...texts: readonly string[]): Buffer {
  const count = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(value)
    return bytes
  }
  const items = texts.flatMap((text) => [count(Buffer.byteLength(text)), Buffer.from(text)])
  return Buffer.concat([count(texts.length), ...items])
}
