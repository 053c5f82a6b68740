import { crc32, deflateRawSync } from 'node:zlib'

export interface MadeEntry {
  readonly name: string
  readonly content: string | Buffer
  /** What the archive says of it instead of what is true. */
  readonly size?: number
  readonly checksum?: number
  /** Bit 0: encrypted. */
  readonly flags?: number
}

/** A zip archive, deflated, by the published description of the format. */
export function madeZip(entries: readonly MadeEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, flags = 0, ...said } of entries) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const path = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(flags, 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(said.checksum ?? crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(said.size ?? bytes.length, 18)
    facts.writeUInt16LE(path.length, 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), facts, rest, path)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), facts, path, packed)
    offset += 30 + path.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}
