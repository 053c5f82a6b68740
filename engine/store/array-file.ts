import { open, readFile, rename, rm } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { EngineError } from '../errors.ts'

export type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

const KINDS = { Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array } as const
const MAGIC = 'CASEMILL'
const HEAD_BYTES = 24

interface Placed {
  readonly name: string
  readonly kind: keyof typeof KINDS
  readonly offset: number
  readonly length: number
}

/**
 * Writes named typed arrays and a JSON description into one file: magic, lengths, a CRC32 over all
 * that follows, the JSON, then the arrays at multiples of 8 so that they can be viewed in place.
 * The file appears under its name only when it is complete.
 */
export async function writeArrays(
  path: string,
  facts: object,
  arrays: Readonly<Record<string, NumberArray>>,
): Promise<void> {
  const places: Placed[] = []
  let offset = 0
  for (const [name, array] of Object.entries(arrays)) {
    const kind = array.constructor.name as keyof typeof KINDS
    places.push({ name, kind, offset, length: array.length })
    offset += Math.ceil(array.byteLength / 8) * 8
  }
  const json = Buffer.from(JSON.stringify({ facts, places }))
  const text = Buffer.alloc(Math.ceil((HEAD_BYTES + json.length) / 8) * 8 - HEAD_BYTES, ' ')
  json.copy(text)
  const parts: Uint8Array[] = [text]
  for (const array of Object.values(arrays)) {
    parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
    const padding = -array.byteLength & 7
    if (padding) parts.push(new Uint8Array(padding))
  }
  let checksum = 0
  for (const part of parts) checksum = crc32(part, checksum)
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(MAGIC, 0, 'latin1')
  head.writeUInt32LE(1, 8)
  head.writeUInt32LE(checksum, 12)
  head.writeUInt32LE(text.length, 16)

  const temporary = `${path}.${process.pid}.part`
  const file = await open(temporary, 'w')
  try {
    for (const part of [head, ...parts]) await file.writeFile(part)
    await file.sync()
  } catch (error) {
    await file.close()
    await rm(temporary, { force: true })
    throw error
  }
  await file.close()
  await rename(temporary, path)
}

export interface ArrayFile {
  readonly facts: Readonly<Record<string, unknown>>
  readonly arrays: Readonly<Record<string, NumberArray>>
}

/**
 * Reads what writeArrays wrote.
 * @throws EngineError corrupt_source when any byte differs from what was written
 */
export async function readArrays(path: string): Promise<ArrayFile> {
  const read = await readFile(path)
  // Views need offsets that are multiples of 8; a small file may come out of a shared buffer.
  const bytes = read.byteOffset % 8 === 0 ? read : Buffer.from(Uint8Array.from(read).buffer)
  const fail = (why: string) =>
    new EngineError('corrupt_source', `array file is damaged: ${why}; build it again`)
  if (bytes.length < HEAD_BYTES || bytes.toString('latin1', 0, 8) !== MAGIC) {
    throw fail('it does not start like one')
  }
  if (bytes.readUInt32LE(8) !== 1) throw fail(`its version is ${bytes.readUInt32LE(8)}, not 1`)
  if (crc32(bytes.subarray(HEAD_BYTES)) !== bytes.readUInt32LE(12)) throw fail('its CRC32 is wrong')
  const body = HEAD_BYTES + bytes.readUInt32LE(16)
  const { facts, places, length: end } = parseText(bytes.subarray(HEAD_BYTES, body), fail)
  // The head itself is not in the checksum: only with the right text length does all of it add up.
  if (bytes.readUInt32LE(20) !== 0 || body + end !== bytes.length) throw fail('its head is wrong')
  const arrays: Record<string, NumberArray> = {}
  for (const { name, kind, offset, length } of places) {
    const from = bytes.byteOffset + body + offset
    arrays[name] = new KINDS[kind](bytes.buffer as ArrayBuffer, from, length)
  }
  return { facts, arrays }
}

function parseText(text: Buffer, fail: (why: string) => EngineError) {
  try {
    const parsed = JSON.parse(text.toString('utf8')) as {
      facts: Record<string, unknown>
      places: Placed[]
    }
    const last = parsed.places.at(-1)
    const bytes = last ? last.offset + last.length * KINDS[last.kind].BYTES_PER_ELEMENT : 0
    return { ...parsed, length: Math.ceil(bytes / 8) * 8 }
  } catch {
    throw fail('its description cannot be read')
  }
}
