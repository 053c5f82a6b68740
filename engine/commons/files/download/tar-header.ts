import { pack } from 'tar-stream'

export interface TarEntry {
  /** Path in the archive, without a slash in front. */
  readonly path: string
  /** Bytes of its contents. */
  readonly size: number
}

/** Headers, contents and end of a tar fill whole blocks. */
export const BLOCK_BYTES = 512
/** Two blocks of zeros. */
export const END_BYTES = 2 * BLOCK_BYTES

export const padded = (bytes: number) => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES

/**
 * What stands before the contents of a member: one block, or several for a long or non-ASCII name.
 * The library writes it before it waits for contents, and is dropped then.
 */
export async function tarHeader({ path, size }: TarEntry, modified: Date): Promise<Buffer> {
  const archive = pack()
  // Being dropped is an error to it.
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
