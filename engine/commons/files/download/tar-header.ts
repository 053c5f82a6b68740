import { pack } from 'tar-stream'

interface TarEntry {
  /** Path in the archive, without a leading slash. */
  readonly path: string
  /** Size of the contents in bytes. */
  readonly size: number
}

/** Block size of tar. Headers, contents and end are padded to whole blocks. */
const BLOCK_BYTES = 512
/** The end of an archive: two blocks of zeros. */
export const END_BYTES = 2 * BLOCK_BYTES

export const padded = (bytes: number) => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES

/**
 * Returns the tar header of a member: one block, or several for a long or non-ASCII name. The library writes the
 * header before it waits for the contents. It is then aborted, because only the header is needed.
 */
export async function tarHeader({ path, size }: TarEntry, modified: Date): Promise<Buffer> {
  const archive = pack()
  // The library emits an error when it is aborted, which is expected.
  archive.on('error', () => {})
  const plain = { type: 'file', mode: 0o644, uid: 0, gid: 0, mtime: modified } as const
  const entry = archive.entry({ name: path, size, ...plain })
  entry.on('error', () => {})
  await new Promise<void>((resolve) => archive.once('readable', () => resolve()))
  const blocks: Buffer[] = []
  for (;;) {
    const block = archive.read() as Buffer | null
    if (block === null) break
    blocks.push(block)
  }
  archive.destroy()
  return Buffer.concat(blocks)
}
