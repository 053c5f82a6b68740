import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** What every contest of the commands is given. */
export interface Stage {
  /** The program as a package has it, without the sources that `--version` does not need. */
  readonly packed: string
  /** A BAM file, and what its bytes are. */
  readonly bam: { readonly path: string; readonly bytes: number; readonly md5: string }
  /** An empty folder, removed at the end. */
  readonly scratch: string
  /** How many rounds, for what is usual. */
  readonly rounds: (usual: number) => number
}

export async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
