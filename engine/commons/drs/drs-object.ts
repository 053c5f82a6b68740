import { createHash } from 'node:crypto'

export interface DrsChecksum {
  readonly type: 'md5' | 'sha-256'
  /** Checksum in hex. */
  readonly checksum: string
}

/** Properties common to blobs and bundles. */
export interface DescribedObject {
  readonly id: string
  /** Name in portable characters: letters, digits, dot, hyphen, underscore. */
  readonly name: string
  /** Size in bytes. For a bundle, the sum over its contents. */
  readonly size: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly checksums: readonly DrsChecksum[]
  readonly description: string | undefined
  readonly aliases: readonly string[]
}

/** A single file. */
export interface DrsBlob extends DescribedObject {
  readonly kind: 'blob'
  readonly dataFormat: string | undefined
  /** Whether the file is open access. */
  readonly isOpen: boolean
  /** Whether the file's bytes are stored here. */
  readonly isStored: boolean
}

/** Several files under one id. Bundles are flat: none contains another. */
export interface DrsBundle extends DescribedObject {
  readonly kind: 'bundle'
  /** Id of the release that defines the contents. */
  readonly version: string
  readonly contents: readonly DrsContent[]
}

export interface DrsContent {
  readonly id: string
  /** Name, unique within the bundle. */
  readonly name: string
}

export type DrsObject = DrsBlob | DrsBundle

/** A file of a bundle. */
export interface BundleMember {
  readonly id: string
  readonly fileName: string
  /** MD5 in hex. */
  readonly md5: string
  /** Size in bytes. */
  readonly size: number
}

/**
 * Replaces all characters that DRS names may not have.
 * @example portableName('a b (1).bam') // 'a_b__1_.bam'
 */
export const portableName = (name: string): string => name.replace(/[^A-Za-z0-9._-]/g, '_')

/** Returns the checksum of a bundle: the MD5 of its members' hex MD5s, sorted and concatenated (DRS 1.5). */
export function bundleChecksum(members: readonly Pick<BundleMember, 'md5'>[]): DrsChecksum {
  const sums = members.map(({ md5 }) => md5).toSorted()
  return { type: 'md5', checksum: createHash('md5').update(sums.join('')).digest('hex') }
}

/** Lists the members under unique names. Names that several members share are prefixed with the member's id. */
export function contentsOf(members: readonly BundleMember[]): readonly DrsContent[] {
  const counts = new Map<string, number>()
  for (const { fileName } of members) {
    const name = portableName(fileName)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return members.map(({ id, fileName }) => {
    const name = portableName(fileName)
    return { id, name: counts.get(name) === 1 ? name : `${id}.${name}` }
  })
}
