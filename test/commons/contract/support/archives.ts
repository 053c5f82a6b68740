import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'

interface ReadMember {
  readonly name: string
  readonly bytes: Buffer
}

/** The members of a tar or tar.gz, in their order. */
export async function membersOf(archive: Buffer): Promise<readonly ReadMember[]> {
  const isPacked = archive[0] === 0x1f && archive[1] === 0x8b
  const reader = extract()
  reader.end(isPacked ? gunzipSync(archive) : archive)
  const members: ReadMember[] = []
  for await (const entry of reader) {
    if (entry.header.type !== 'file') throw new Error(`${entry.header.name} is no plain file`)
    const parts: Buffer[] = []
    for await (const part of entry) parts.push(part as Buffer)
    members.push({ name: entry.header.name, bytes: Buffer.concat(parts) })
  }
  return members
}

export const namesOf = async (archive: Buffer) => (await membersOf(archive)).map(({ name }) => name)
