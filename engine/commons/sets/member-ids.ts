import type { Dictionary } from '../release/dictionary.ts'
import { PACKED_BYTES } from '../release/text-form.ts'

/** Number of ids per chunk: half a mebibyte, which a database stores in some milliseconds. */
export const CHUNK_MEMBERS = 32_768

const FORMS = { text: 0, packed: 1 } as const

/** Encodes ids as the bytes of one chunk: 16 bytes per id if all ids are UUIDs, otherwise one line of text per id. */
export function packIds(ids: readonly string[]): Uint8Array {
  if (ids.every((id) => UUID.test(id))) {
    const hex = ids.map((id) => id.replaceAll('-', '')).join('')
    return Buffer.concat([Buffer.of(FORMS.packed), Buffer.from(hex, 'hex')])
  }
  return Buffer.concat([Buffer.of(FORMS.text), Buffer.from(ids.join('\n'))])
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Decodes a chunk that `packIds` encoded. */
export function unpackIds(chunk: Uint8Array): string[] {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  if (bytes[0] === FORMS.text) return bytes.toString('utf8', 1).split('\n')
  const hex = bytes.toString('hex', 1)
  const digits = 2 * PACKED_BYTES
  return Array.from({ length: hex.length / digits }, (_, i) => {
    const id = hex.slice(i * digits, (i + 1) * digits)
    return `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`
  })
}

/** Yields the ids of the given rows in batches. */
export function* idsOfRows(
  rows: Uint32Array,
  dictionary: Pick<Dictionary, 'text'>,
): Generator<string[]> {
  for (let from = 0; from < rows.length; from += CHUNK_MEMBERS) {
    const some = rows.subarray(from, from + CHUNK_MEMBERS)
    yield Array.from(some, (row) => dictionary.text(row + 1))
  }
}
