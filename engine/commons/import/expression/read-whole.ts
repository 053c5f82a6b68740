import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { EngineError } from '../../../shared/errors.ts'
import type { Scratch } from '../../../shared/executor.ts'
import { isGzip } from '../../../shared/formats/byte-source.ts'
import type { LineEnd } from '../../../shared/input/lines.ts'

/** Maximum size in bytes. A file of one sample has about four megabytes. */
const MAX_BYTES = 256 << 20
const LF = 0x0a
const CR = 0x0d

/** A file with its name for messages. */
interface WholeFile {
  readonly path: string
  readonly name: string
  readonly lineEnd: LineEnd
}

/**
 * Reads all bytes of a file of one sample, decompressed if it is gzip. Lines end with LF.
 * @throws EngineError bad_input if it cannot be inflated, is too large, or is truncated
 */
export function readWhole({ path, name, lineEnd }: WholeFile, scratch: Scratch): Buffer {
  const raw = readInto(path, name, scratch)
  const bytes = isGzip(raw) ? inflate(raw, name) : raw
  if (lineEnd === '\r') for (const [at, byte] of bytes.entries()) if (byte === CR) bytes[at] = LF
  if (bytes.length > 0 && bytes.at(-1) !== LF) throw cutOff(name)
  return bytes
}

function readInto(path: string, name: string, scratch: Scratch): Buffer {
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size > MAX_BYTES) throw damaged(name, `has ${size} bytes, too many for one sample`)
    const bytes = scratch.bytes('import.sample', size)
    let length = 0
    while (length < size) {
      const read = readSync(descriptor, bytes, length, size - length, length)
      if (read === 0) throw damaged(name, 'became shorter while it was read')
      length += read
    }
    return bytes
  } finally {
    closeSync(descriptor)
  }
}

function inflate(raw: Buffer, name: string): Buffer {
  try {
    return gunzipSync(raw, { maxOutputLength: MAX_BYTES })
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause
    throw damaged(name, `does not inflate: ${cause.message}`, cause)
  }
}

/** Creates the error for a last line without a line break, which may have lost digits of its last number. */
const cutOff = (name: string) => damaged(name, 'ends within a line; it was cut off')

export function damaged(name: string, problem: string, cause?: unknown): EngineError {
  return new EngineError('bad_input', `"${name}" ${problem}`, { cause, at: name })
}
